import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';

const activationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/activations',
  component: lazyRouteComponent(() => import('./ActivationsPage.tsx'), 'ActivationsPage'),
});

export const activationsRoutes = [activationsRoute] as const;
