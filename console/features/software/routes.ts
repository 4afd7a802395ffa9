import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { idOf, oneOf, textOf } from '../../ui/search.ts';
import { CHANNELS, type Channel } from './queries.ts';

const softwareListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/software',
  validateSearch: (search): { before?: number; publish?: 'yes' } => ({
    before: idOf(search, 'before'),
    publish: oneOf(search, 'publish', ['yes']),
  }),
  component: lazyRouteComponent(() => import('./SoftwarePage.tsx'), 'SoftwarePage'),
});

const softwareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/software/$id',
  validateSearch: (search): { before?: string; channel?: Channel; publish?: 'yes' } => ({
    before: textOf(search, 'before'),
    channel: oneOf(search, 'channel', CHANNELS),
    publish: oneOf(search, 'publish', ['yes']),
  }),
  component: lazyRouteComponent(() => import('./SoftwareDetailPage.tsx'), 'SoftwareDetailPage'),
});

export const softwareRoutes = [softwareListRoute, softwareRoute] as const;
