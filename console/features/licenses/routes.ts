import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { queryClient } from '../../app/query-client.ts';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { idOf, oneOf, textOf } from '../../ui/search.ts';
import { licenseSearch, licensesSearch, wrongLicensesFilters } from './licenses-search.ts';
import { licensesQuery } from './queries.ts';

export const licensesRoute = createRoute({
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

export const licenseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses/$id',
  validateSearch: licenseSearch,
  component: lazyPage(() => import('./LicensePage.tsx'), 'LicensePage'),
});

export const trashRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses/trash',
  validateSearch: (search): { key?: string; before?: number } => ({
    key: textOf(search, 'key'),
    before: idOf(search, 'before'),
  }),
  component: lazyPage(() => import('./trash/TrashPage.tsx'), 'TrashPage'),
});

/** The query of the list's address. */
interface ActivationsSearch {
  label?: string;
  address?: string;
  license?: number;
  state?: 'valid' | 'deactivated';
  before?: number;
}

export const activationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/activations',
  validateSearch: (search): ActivationsSearch => ({
    label: textOf(search, 'label'),
    address: textOf(search, 'address'),
    license: idOf(search, 'license'),
    state: oneOf(search, 'state', ['valid', 'deactivated']),
    before: idOf(search, 'before'),
  }),
  component: lazyPage(() => import('./activations/ActivationsPage.tsx'), 'ActivationsPage'),
});
