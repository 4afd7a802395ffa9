import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type Answer, answer, api, setCsrfToken, whenSessionRefused } from '../client/api.ts';
import { isFinal, queryClient } from './query-client.ts';

export type Session = Answer<'getSession'>;
export type SignedIn = Extract<Session, { signed_in: true }>;
export type Role = SignedIn['user']['role'];
export type Permission = SignedIn['permissions'][number];

/** True after signing out in this window, which then needs no dialog about an ended session. */
let isLeaving = false;
export const isSigningOut = (): boolean => isLeaving;

let isReloading = false;
/** Reloads the window, which shows the data of a user who is signed out. Unsaved forms cannot prevent it. */
function reload(): void {
  isReloading = true;
  window.location.reload();
}
// The router, which is created later, listens for the same event, to ask whether to leave a form.
window.addEventListener(
  'beforeunload',
  (event) => {
    if (isReloading) event.stopImmediatePropagation();
  },
  { capture: true },
);

/** Milliseconds to wait for an answer. */
const PATIENCE_MS = 10_000;
/** The longest pause before the next attempt, in milliseconds. */
const PAUSE_MS = 5_000;

async function fetchSession(): Promise<Session> {
  const session = await answer(api.GET('/session', { signal: AbortSignal.timeout(PATIENCE_MS) }));
  setCsrfToken(session.signed_in ? session.csrf_token : '');
  if (session.signed_in) {
    // Another user has signed in, and the page shows the previous user's data.
    if (isAskedAgain() && session.user.id !== lastSignedIn?.user.id) reload();
    isLeaving = false;
  }
  return session;
}

/**
 * The session. Fetched once, with retries until the server answers, because no page works without it. Call `refreshSession`
 * after a step of signing in, and `queryClient.invalidateQueries(sessionQuery)` after any other change of the session.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: fetchSession,
  retry: (_, error) => !isFinal(error),
  retryDelay: (failures) => Math.min(500 * 2 ** failures, PAUSE_MS),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The last session of a signed-in user. The old page still renders with it until the sign-in page is shown. */
let lastSignedIn: SignedIn | null = null;

/** The session. Use it only on pages behind the sign-in. */
export function useSession(): SignedIn & { can(permission: Permission): boolean } {
  const { data } = useSuspenseQuery(sessionQuery);
  const session = data.signed_in ? data : lastSignedIn;
  if (!session) throw new Error('a page behind the sign-in is shown to nobody');
  lastSignedIn = session;
  return { ...session, can: (permission) => session.permissions.includes(permission) };
}

/**
 * Whether this window has shown a page behind the sign-in. If its session has ended, the sign-in dialog is then open above
 * the page.
 */
export const isAskedAgain = (): boolean => lastSignedIn !== null && !isLeaving;

/** Leaves the page: the next session check redirects to the sign-in page. */
export const leavePage = (): void => {
  isLeaving = true;
};

/** Drops everything that was fetched for the user. */
export function forgetSession(): void {
  queryClient.clear();
}

/** Tells the other windows of this browser, which share the session, when the user signs in or out. */
const windows = new BroadcastChannel('latchkey-session');
const SIGNED_IN = 'signed-in';
const SIGNED_OUT = 'signed-out';
windows.addEventListener('message', ({ data }) => {
  // A reload drops all fetched data from memory and leads to the sign-in page.
  if (data === SIGNED_OUT && lastSignedIn) reload();
  if (data === SIGNED_IN) void queryClient.invalidateQueries();
});

/** Refetches the session after a step of signing in. */
export async function refreshSession(): Promise<Session> {
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session.signed_in) windows.postMessage(SIGNED_IN);
  return session;
}

/** Marks the session as ended. */
const noteSignedOut = (): void =>
  void queryClient.setQueryData(sessionQuery.queryKey, (session): Session | undefined =>
    session?.signed_in ? { signed_in: false, setup_needed: false, second_factor: false } : session,
  );

/** Ends the session. */
export async function signOut(): Promise<void> {
  await answer(api.DELETE('/session'));
  noteSignOut();
}

/** Clears the session in all windows of this browser, after the user has ended it in this one. */
export function noteSignOut(): void {
  leavePage();
  // The sign-in page redirects users who are signed in.
  noteSignedOut();
  windows.postMessage(SIGNED_OUT);
}

// The refused request may be older than a new session of this browser.
whenSessionRefused(() => {
  if (queryClient.getQueryData(sessionQuery.queryKey)?.signed_in)
    void queryClient.invalidateQueries(sessionQuery, { cancelRefetch: false });
});
