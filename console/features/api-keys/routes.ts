import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { oneOf } from '../../ui/search.ts';

export const apiKeysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/api-keys',
  validateSearch: (search): { create?: 'yes' } => ({ create: oneOf(search, 'create', ['yes']) }),
  component: lazyPage(() => import('./ApiKeysPage.tsx'), 'ApiKeysPage'),
});
