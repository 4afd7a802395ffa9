import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type Answer, answer, api, setCsrfToken, whenSignedOut } from '../client/api.ts';
import { queryClient } from './query-client.ts';

export type Session = Answer<'getSession'>;
export type SignedIn = Extract<Session, { signed_in: true }>;
export type Role = SignedIn['user']['role'];
export type Permission = SignedIn['permissions'][number];

/** Whoever has just signed out here is on the way to the sign-in page, and need not be told. */
let isLeaving = false;
export const isSigningOut = (): boolean => isLeaving;

async function fetchSession(): Promise<Session> {
  const session = await answer(api.GET('/session'));
  setCsrfToken(session.signed_in ? session.csrf_token : '');
  if (session.signed_in) isLeaving = false;
  return session;
}

/** Who is signed in, asked for once: `queryClient.invalidateQueries(sessionQuery)` after anything that changes it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: fetchSession,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Until the sign-in page is there, what is on the screen is still that of who was signed in. */
let lastSignedIn: SignedIn | null = null;

/** Who is signed in. Only on pages behind the sign-in. */
export function useSession(): SignedIn & { can(permission: Permission): boolean } {
  const { data } = useSuspenseQuery(sessionQuery);
  const session = data.signed_in ? data : lastSignedIn;
  if (!session) throw new Error('a page behind the sign-in is shown to nobody');
  lastSignedIn = session;
  return { ...session, can: (permission) => session.permissions.includes(permission) };
}

/** Whether somebody whose session has ended is asked over the page to sign in again, and must not lose that page. */
export const isAskedAgain = (): boolean => lastSignedIn !== null && !isLeaving;

/** Lets go of the page: the next look at the session leads to the sign-in page. */
export const leavePage = (): void => {
  isLeaving = true;
};

/** Forgets everything that was fetched for who was signed in. */
export function forgetSession(): void {
  queryClient.clear();
}

/** All windows of this browser have one session. */
const windows = new BroadcastChannel('latchkey-session');
const SIGNED_OUT = 'signed-out';
windows.addEventListener('message', ({ data }) => {
  // Nothing that was fetched for them stays in memory; loaded anew, the page is the sign-in page.
  if (data === SIGNED_OUT && lastSignedIn) window.location.reload();
});

/** From now on nobody is signed in, as far as is known here. */
const noteSignedOut = (): void =>
  void queryClient.setQueryData(sessionQuery.queryKey, (session): Session | undefined =>
    session?.signed_in ? { signed_in: false, setup_needed: false, second_factor: false } : session,
  );

/** Ends the session here. */
export async function signOut(): Promise<void> {
  await answer(api.DELETE('/session'));
  leavePage();
  // The sign-in page sends on whoever is signed in.
  noteSignedOut();
  windows.postMessage(SIGNED_OUT);
}

whenSignedOut(noteSignedOut);
