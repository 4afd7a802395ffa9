import { createRoute, createRouter } from '@tanstack/react-router';
import { CONSOLE_ROOT } from '../client/base.ts';
import { accountRoutes } from '../features/account/routes.ts';
import { apiKeysRoutes } from '../features/api-keys/routes.ts';
import { auditRoutes } from '../features/audit/routes.ts';
import { dashboardRoutes } from '../features/dashboard/routes.ts';
import { eventsRoutes } from '../features/events/routes.ts';
import { generatorsRoutes } from '../features/generators/routes.ts';
import { importsRoutes } from '../features/imports/routes.ts';
import { activationsRoutes } from '../features/licenses/activations/activations-routes.ts';
import { licensesRoutes } from '../features/licenses/routes.ts';
import { trashRoutes } from '../features/licenses/trash/trash-routes.ts';
import { offlineRoutes } from '../features/offline/routes.ts';
import { settingsRoutes } from '../features/settings/routes.ts';
import { setupRoutes } from '../features/setup/routes.ts';
import { signInRoutes } from '../features/sign-in/routes.ts';
import { softwareRoutes } from '../features/software/routes.ts';
import { usersRoutes } from '../features/users/routes.ts';
import { rootRoute } from './root-route.tsx';
import { parseSearch, stringifySearch } from './search-params.ts';
import { Failure } from './shell/Failure.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { shellRoute } from './shell/shell-route.ts';

/** Every unknown address. */
const nowhereRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound });

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  ...setupRoutes,
  shellRoute.addChildren([
    ...dashboardRoutes,
    ...licensesRoutes,
    ...trashRoutes,
    ...activationsRoutes,
    ...offlineRoutes,
    ...generatorsRoutes,
    ...softwareRoutes,
    ...importsRoutes,
    ...apiKeysRoutes,
    ...eventsRoutes,
    ...auditRoutes,
    ...settingsRoutes,
    ...usersRoutes,
    ...accountRoutes,
    nowhereRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: CONSOLE_ROOT,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: Failure,
  scrollRestoration: true,
});

/**
 * Starts to load the code and the data of the page that the window opens with. Errors are ignored: the router and the page
 * repeat whatever failed, and all data requests fail if nobody is signed in.
 */
export function loadPage(): void {
  const { pathname, search } = router.latestLocation;
  for (const route of router.getMatchedRoutes(pathname)[0]) {
    void router.loadRouteChunk(route);
    route.options.staticData?.fetchFirst?.(search);
  }
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /**
     * Starts to fetch the data of the page that the window opens with.
     * @param search the query of the address, not validated
     */
    fetchFirst?: (search: Record<string, unknown>) => void;
  }
  interface Register {
    router: typeof router;
  }
}
