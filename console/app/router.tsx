import { createRoute, createRouter } from '@tanstack/react-router';
import { CONSOLE_ROOT } from '../client/base.ts';
import { accountRoute } from '../features/account/routes.ts';
import { apiKeysRoute } from '../features/api-keys/routes.ts';
import { auditRoute } from '../features/audit/routes.ts';
import { dashboardRoute } from '../features/dashboard/routes.ts';
import { endpointRoute, eventsRoute } from '../features/events/routes.ts';
import { generatorsRoute } from '../features/generators/routes.ts';
import { importsRoute } from '../features/imports/routes.ts';
import { activationsRoute, licenseRoute, licensesRoute, trashRoute } from '../features/licenses/routes.ts';
import { offlineRoute } from '../features/offline/routes.ts';
import { settingsRoute } from '../features/settings/routes.ts';
import { setupRoute } from '../features/setup/routes.ts';
import { signInRoute } from '../features/sign-in/routes.ts';
import { softwareListRoute, softwareRoute } from '../features/software/routes.ts';
import { usersRoute } from '../features/users/routes.ts';
import { rootRoute } from './root-route.tsx';
import { parseSearch, stringifySearch } from './search-params.ts';
import { Failure } from './shell/Failure.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { shellRoute } from './shell/shell-route.ts';

/** Every unknown address. */
const nowhereRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound });

const routeTree = rootRoute.addChildren([
  signInRoute,
  setupRoute,
  shellRoute.addChildren([
    dashboardRoute,
    licensesRoute,
    licenseRoute,
    trashRoute,
    activationsRoute,
    offlineRoute,
    generatorsRoute,
    softwareListRoute,
    softwareRoute,
    importsRoute,
    apiKeysRoute,
    eventsRoute,
    endpointRoute,
    auditRoute,
    settingsRoute,
    usersRoute,
    accountRoute,
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
