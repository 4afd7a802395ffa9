import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { licenseSearch, licensesSearch } from './licenses-search.ts';

const licensesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses',
  validateSearch: licensesSearch,
  component: lazyPage(() => import('./LicensesPage.tsx'), 'LicensesPage', { isFirst: true }),
});

const licenseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses/$id',
  validateSearch: licenseSearch,
  component: lazyPage(() => import('./LicensePage.tsx'), 'LicensePage'),
});

export const licensesRoutes = [licensesRoute, licenseRoute] as const;
