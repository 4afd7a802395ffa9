import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { referenceOf } from '../../ui/search.ts';

export const dashboardRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  validateSearch: (search): { days?: 90; product?: number } => {
    const product = referenceOf(search, 'product');
    return { ...(Number(search.days) === 90 && { days: 90 }), ...(product !== undefined && { product }) };
  },
  component: lazyPage(() => import('./DashboardPage.tsx'), 'DashboardPage'),
});
