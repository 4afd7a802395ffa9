import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { queryClient } from '../../app/query-client.ts';
import { rootRoute } from '../../app/root-route.tsx';
import { sessionQuery } from '../../app/session.ts';
import { heldToken, holdToken } from './token.ts';

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  beforeLoad: async ({ location }) => {
    if (location.hash === '') {
      const session = await queryClient.ensureQueryData(sessionQuery);
      if (heldToken() === null && (session.signed_in || !session.setup_needed))
        throw redirect({ to: '/sign-in' as string });
      return;
    }
    // The address is shown, and kept in the history: the secret of the link does not stay there.
    holdToken(location.hash);
    throw redirect({ to: '/setup' as string, hash: '', replace: true });
  },
  component: lazyPage(() => import('./SetupPage.tsx'), 'SetupPage'),
});

export const setupRoutes = [setupRoute] as const;
