import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../../app/lazy-page.tsx';
import { shellRoute } from '../../../app/shell/shell-route.ts';
import { idOf, textOf } from '../../../ui/search.ts';

const trashRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/licenses/trash',
  validateSearch: (search): { key?: string; before?: number } => ({
    key: textOf(search, 'key'),
    before: idOf(search, 'before'),
  }),
  component: lazyPage(() => import('./TrashPage.tsx'), 'TrashPage'),
});

export const trashRoutes = [trashRoute] as const;
