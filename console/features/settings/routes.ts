import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { oneOf, textOf } from '../../ui/search.ts';

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  validateSearch: (search): { q?: string; only?: 'set' } => ({
    q: textOf(search, 'q'),
    only: oneOf(search, 'only', ['set']),
  }),
  component: lazyPage(() => import('./SettingsPage.tsx'), 'SettingsPage'),
});
