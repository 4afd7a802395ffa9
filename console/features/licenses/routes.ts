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
  staticData: {
    fetchFirst(sent) {
      const search = licensesSearch(sent);
      if (wrongLicensesFilters(search).length === 0) void queryClient.prefetchQuery(licensesQuery(search));
    },
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
