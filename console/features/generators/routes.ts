import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { idOf, oneOf } from '../../ui/search.ts';

export const generatorsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/generators',
  validateSearch: (search): { before?: number; create?: 'yes'; generate?: number } => ({
    before: idOf(search, 'before'),
    create: oneOf(search, 'create', ['yes']),
    generate: idOf(search, 'generate'),
  }),
  component: lazyPage(() => import('./GeneratorsPage.tsx'), 'GeneratorsPage'),
});
