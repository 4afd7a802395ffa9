import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { idOf, oneOf, textOf } from '../../ui/search.ts';
import { CHANNELS, type Channel } from './queries.ts';

export const softwareListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/software',
  validateSearch: (search): { before?: number; publish?: 'yes' } => ({
    before: idOf(search, 'before'),
    publish: oneOf(search, 'publish', ['yes']),
  }),
  component: lazyPage(() => import('./SoftwarePage.tsx'), 'SoftwarePage'),
});

export const softwareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/software/$id',
  validateSearch: (search): { before?: string; channel?: Channel; publish?: 'yes' } => ({
    before: textOf(search, 'before'),
    channel: oneOf(search, 'channel', CHANNELS),
    publish: oneOf(search, 'publish', ['yes']),
  }),
  component: lazyPage(() => import('./SoftwareDetailPage.tsx'), 'SoftwareDetailPage'),
});
