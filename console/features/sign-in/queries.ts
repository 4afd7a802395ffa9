import { refreshSession, type Session } from '../../app/session.ts';
import { answer, api } from '../../client/api.ts';

export async function signIn(body: { email: string; password: string }): Promise<Session> {
  await answer(api.POST('/session', { body }));
  return refreshSession();
}

export async function showSecondFactor(body: { code: string }): Promise<Session> {
  await answer(api.POST('/session/second-factor', { body }));
  return refreshSession();
}
