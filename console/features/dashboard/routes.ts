import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';

const dashboardRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  validateSearch: (search): { days?: 90 } => (Number(search.days) === 90 ? { days: 90 } : {}),
  component: lazyPage(() => import('./DashboardPage.tsx'), 'DashboardPage'),
});

export const dashboardRoutes = [dashboardRoute] as const;
