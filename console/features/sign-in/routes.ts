import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { textOf } from '../../ui/search.ts';

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { from?: string } => ({ from: textOf(search, 'from') }),
  component: lazyRouteComponent(() => import('./SignInPage.tsx'), 'SignInPage'),
});

export const signInRoutes = [signInRoute] as const;
