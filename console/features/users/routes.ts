import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { oneOf } from '../../ui/search.ts';

export const usersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users',
  validateSearch: (search): { create?: 'yes' } => ({ create: oneOf(search, 'create', ['yes']) }),
  component: lazyPage(() => import('./UsersPage.tsx'), 'UsersPage'),
});
