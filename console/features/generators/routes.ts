import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { idOf } from '../../ui/search.ts';

const generatorsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/generators',
  validateSearch: (search): { before?: number } => ({ before: idOf(search, 'before') }),
  component: lazyRouteComponent(() => import('./GeneratorsPage.tsx'), 'GeneratorsPage'),
});

export const generatorsRoutes = [generatorsRoute] as const;
