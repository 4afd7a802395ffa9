import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyPage(() => import('./AccountPage.tsx'), 'AccountPage'),
});

export const accountRoutes = [accountRoute] as const;
