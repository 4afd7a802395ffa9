import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';

export const importsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/import',
  component: lazyPage(() => import('./ImportPage.tsx'), 'ImportPage'),
});
