import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';

export const offlineRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offline',
  component: lazyPage(() => import('./OfflinePage.tsx'), 'OfflinePage'),
});
