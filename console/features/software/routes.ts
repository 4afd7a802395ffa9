import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { idOf, oneOf, textOf } from '../../ui/search.ts';
import { CHANNELS, type Channel } from './queries.ts';

const softwareListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/software',
  validateSearch: (search): { before?: number } => ({ before: idOf(search, 'before') }),
  component: lazyRouteComponent(() => import('./SoftwarePage.tsx'), 'SoftwarePage'),
});

const softwareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/software/$id',
  validateSearch: (search): { before?: string; channel?: Channel } => ({
    before: textOf(search, 'before'),
    channel: oneOf(search, 'channel', CHANNELS),
  }),
  component: lazyRouteComponent(() => import('./SoftwareDetailPage.tsx'), 'SoftwareDetailPage'),
});

export const softwareRoutes = [softwareListRoute, softwareRoute] as const;
