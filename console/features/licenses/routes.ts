import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { licenseSearch, licensesSearch } from './licenses-search.ts';

const licensesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses',
  validateSearch: licensesSearch,
  component: lazyRouteComponent(() => import('./LicensesPage.tsx'), 'LicensesPage'),
});

const licenseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses/$id',
  validateSearch: licenseSearch,
  component: lazyRouteComponent(() => import('./LicensePage.tsx'), 'LicensePage'),
});

export const licensesRoutes = [licensesRoute, licenseRoute] as const;
