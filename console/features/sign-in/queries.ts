import { queryClient } from '../../app/query-client.ts';
import { type Session, sessionQuery } from '../../app/session.ts';
import { answer, api } from '../../client/api.ts';

/** Refetches the session. */
export const refreshSession = (): Promise<Session> =>
  queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });

export async function signIn(body: { email: string; password: string }): Promise<Session> {
  await answer(api.POST('/session', { body }));
  return refreshSession();
}

export async function showSecondFactor(body: { code: string }): Promise<Session> {
  await answer(api.POST('/session/second-factor', { body }));
  return refreshSession();
}
