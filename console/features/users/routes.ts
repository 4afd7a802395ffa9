import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { oneOf } from '../../ui/search.ts';

const usersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users',
  validateSearch: (search): { create?: 'yes' } => ({ create: oneOf(search, 'create', ['yes']) }),
  component: lazyRouteComponent(() => import('./UsersPage.tsx'), 'UsersPage'),
});

export const usersRoutes = [usersRoute] as const;
