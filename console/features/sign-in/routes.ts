import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { queryClient } from '../../app/query-client.ts';
import { rootRoute } from '../../app/root-route.tsx';
import { sessionQuery } from '../../app/session.ts';
import { textOf } from '../../ui/search.ts';
import { placeOf } from './place.ts';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { from?: string } => ({ from: textOf(search, 'from') }),
  beforeLoad: async ({ search }) => {
    const known = await queryClient.ensureQueryData(sessionQuery);
    // Fetch again: this route is also reached right after signing out.
    const session = known.signed_in ? await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }) : known;
    if (session.signed_in) throw redirect({ href: placeOf(search.from), replace: true });
    if (session.setup_needed) throw redirect({ to: '/setup' as string });
  },
  component: lazyPage(() => import('./SignInPage.tsx'), 'SignInPage', { isFirst: true }),
});
