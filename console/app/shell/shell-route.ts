import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../lazy-page.tsx';
import { queryClient } from '../query-client.ts';
import { rootRoute } from '../root-route.tsx';
import { isAskedAgain, sessionQuery } from '../session.ts';

/** The parent of every page behind the sign-in. Redirects to the sign-in page, which leads back afterwards. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session.signed_in || isAskedAgain()) return;
    if (session.setup_needed) throw redirect({ to: '/setup' as string });
    throw redirect({ to: '/sign-in' as string, search: { from: location.href } as never });
  },
  component: lazyPage(() => import('./Shell.tsx'), 'Shell', { isFirst: true }),
});
