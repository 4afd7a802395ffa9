import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { changeHeaders, setCsrfToken, whenSignedOut } from '../client/api.ts';
import { API_ROOT } from '../client/base.ts';
import { errorOf, NetworkError } from '../client/errors.ts';
import { queryClient } from './query-client.ts';

export type Role = 'owner' | 'manager' | 'support' | 'viewer';
export type Permission =
  | 'records.read'
  | 'licenses.reveal'
  | 'licenses.keys'
  | 'licenses.write'
  | 'licenses.delete'
  | 'licenses.generate'
  | 'licenses.import'
  | 'activations.delete'
  | 'generators.write'
  | 'generators.delete'
  | 'software.write'
  | 'software.delete'
  | 'api_keys.manage'
  | 'audit.read'
  | 'settings.read'
  | 'users.manage';

export interface SignedIn {
  signed_in: true;
  user: { id: number; name: string; email: string; role: Role; totp: boolean };
  permissions: Permission[];
  csrf_token: string;
  version: string;
}
export type Session = SignedIn | { signed_in: false; setup_needed: boolean };

async function fetchSession(): Promise<Session> {
  const response = await fetch(`${API_ROOT}/session`).catch((cause: unknown) => {
    throw new NetworkError(cause);
  });
  const text = await response.text();
  if (!response.ok) throw errorOf(response.status, text, response.headers);
  const session: Session = JSON.parse(text);
  setCsrfToken(session.signed_in ? session.csrf_token : '');
  return session;
}

/** Who is signed in, asked for once: `queryClient.invalidateQueries(sessionQuery)` after anything that changes it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: fetchSession,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Who is signed in. Only on pages behind the sign-in. */
export function useSession(): SignedIn & { can(permission: Permission): boolean } {
  const { data } = useSuspenseQuery(sessionQuery);
  const session = data.signed_in ? data : lastSignedIn;
  if (!session) throw new Error('a page behind the sign-in is shown to nobody');
  lastSignedIn = session;
  return { ...session, can: (permission) => session.permissions.includes(permission) };
}

/** Until the sign-in page is there, what is on the screen is still that of who was signed in. */
let lastSignedIn: SignedIn | null = null;

/** Forgets everything that was fetched for who was signed in. */
export function forgetSession(): void {
  queryClient.clear();
}

whenSignedOut(() => {
  queryClient.setQueryData(sessionQuery.queryKey, (session): Session | undefined =>
    session?.signed_in ? { signed_in: false, setup_needed: false } : session,
  );
});

/** Ends the session here. */
export async function signOut(): Promise<void> {
  const init = { method: 'DELETE', headers: changeHeaders() };
  const response = await fetch(`${API_ROOT}/session`, init).catch((cause: unknown) => {
    throw new NetworkError(cause);
  });
  if (!response.ok) throw errorOf(response.status, await response.text(), response.headers);
}
