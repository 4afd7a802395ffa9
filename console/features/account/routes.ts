import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';

export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyPage(() => import('./AccountPage.tsx'), 'AccountPage'),
});
