import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { idOf, oneOf, textOf } from '../../ui/search.ts';
import { DELIVERY_STATES } from './delivery-states.ts';
import type { DeliveriesSearch } from './queries.ts';

export const eventsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events',
  validateSearch: (search): { create?: 'yes' } => ({ create: oneOf(search, 'create', ['yes']) }),
  component: lazyPage(() => import('./EventsPage.tsx'), 'EventsPage'),
});

export const endpointRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events/$id',
  validateSearch: (search): DeliveriesSearch => ({
    state: oneOf(search, 'state', DELIVERY_STATES),
    type: textOf(search, 'type') as DeliveriesSearch['type'],
    before: idOf(search, 'before'),
  }),
  component: lazyPage(() => import('./EndpointPage.tsx'), 'EndpointPage'),
});
