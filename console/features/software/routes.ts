import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';

const softwareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/software',
  component: lazyRouteComponent(() => import('./SoftwarePage.tsx'), 'SoftwarePage'),
});

export const softwareRoutes = [softwareRoute] as const;
