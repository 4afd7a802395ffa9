import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';

const offlineRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offline',
  component: lazyPage(() => import('./OfflinePage.tsx'), 'OfflinePage'),
});

export const offlineRoutes = [offlineRoute] as const;
