import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { oneOf, textOf } from '../../ui/search.ts';

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  validateSearch: (search): { q?: string; only?: 'set' } => ({
    q: textOf(search, 'q'),
    only: oneOf(search, 'only', ['set']),
  }),
  component: lazyRouteComponent(() => import('./SettingsPage.tsx'), 'SettingsPage'),
});

export const settingsRoutes = [settingsRoute] as const;
