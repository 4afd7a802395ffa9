import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';

const licensesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses',
  component: lazyRouteComponent(() => import('./LicensesPage.tsx'), 'LicensesPage'),
});

export const licensesRoutes = [licensesRoute] as const;
