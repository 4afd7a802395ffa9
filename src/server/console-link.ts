import type { Services } from '../app/execute.ts';
import { makeLinkToken } from '../app/people/session-tokens.ts';
import { FIRST_USER, SYSTEM } from '../app/people/set-up.ts';

/**
 * What stands behind the # of the link by which the first owner sets up the console: made anew by each start, and the one
 * before is good no more. Null where there is an owner already.
 */
export async function setupToken({ store, execute }: Services): Promise<string | null> {
  if (await store.read.users.areSetUp()) return null;
  const { token, tokenHash } = makeLinkToken();
  const made = await execute('invite-user', { userId: FIRST_USER, purpose: 'setup', tokenHash }, SYSTEM);
  return made.ok ? token : null;
}
