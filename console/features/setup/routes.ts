import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { queryClient } from '../../app/query-client.ts';
import { rootRoute } from '../../app/root-route.tsx';
import { sessionQuery } from '../../app/session.ts';
import { heldToken, holdToken } from './token.ts';

export const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  beforeLoad: async ({ location }) => {
    if (location.hash === '') {
      const session = await queryClient.ensureQueryData(sessionQuery);
      if (heldToken() === null && (session.signed_in || !session.setup_needed))
        throw redirect({ to: '/sign-in' as string });
      return;
    }
    // Remove the link's secret from the address bar and the history.
    holdToken(location.hash);
    throw redirect({ to: '/setup' as string, hash: '', replace: true });
  },
  component: lazyPage(() => import('./SetupPage.tsx'), 'SetupPage'),
});
