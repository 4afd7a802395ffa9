import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { queryClient } from '../../app/query-client.ts';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { licenseSearch, licensesSearch, wrongLicensesFilters } from './licenses-search.ts';
import { licensesQuery } from './queries.ts';

const licensesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses',
  validateSearch: licensesSearch,
  loaderDeps: ({ search }) => search,
  // Fetches the rows while the code of the page is loaded.
  loader({ deps, cause }) {
    if (cause === 'enter' && wrongLicensesFilters(deps).length === 0)
      void queryClient.prefetchQuery(licensesQuery(deps));
  },
  component: lazyPage(() => import('./LicensesPage.tsx'), 'LicensesPage', { isFirst: true }),
});

const licenseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses/$id',
  validateSearch: licenseSearch,
  component: lazyPage(() => import('./LicensePage.tsx'), 'LicensePage'),
});

export const licensesRoutes = [licensesRoute, licenseRoute] as const;
