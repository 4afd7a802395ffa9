import { randomBytes } from 'node:crypto';
import type { Running } from '../service.ts';
import { actor, audited } from './audited.ts';

type Change = [actions: string[], prepare: () => Promise<() => Promise<unknown>>];

/** Returns changes by the commands of users, with the actions that each must record. */
export function userChanges(api: Pick<Running, 'service'>): Record<string, Change> {
  const { execute } = api.service;
  const { must, newUser, newSession } = audited(api);
  const browser = () => ({ tokenHash: randomBytes(32), ipAddress: null, userAgent: null });
  const withTotp = async () => {
    const user = await newUser();
    const { id: session } = await newSession(user);
    const userId = user.id;
    await must(execute('begin-totp', { userId, secret: 'ABC' }, actor));
    const confirm = () =>
      execute('confirm-totp', { userId, secret: 'ABC', step: 1, recoveryHashes: [], session }, actor);
    return { ...user, userId, confirm };
  };
  const enabled = async () => {
    const user = await withTotp();
    await must(user.confirm());
    return user;
  };
  return {
    'accept-invitation': [
      ['user.password', 'session.create'],
      async () => {
        const { id: userId } = await newUser();
        const linkHash = randomBytes(32);
        await must(execute('invite-user', { userId, purpose: 'reset', tokenHash: linkHash }, actor));
        const input = {
          linkHash,
          passwordHash: 'other',
          owner: null,
          session: { ...browser(), replaces: null },
        };
        return () => execute('accept-invitation', input, actor);
      },
    ],
    'complete-session': [
      ['session.create'],
      async () => {
        const user = await enabled();
        const { tokenHash } = await newSession(user);
        const code = { kind: 'totp', secret: 'ABC', step: 2 } as const;
        return () => execute('complete-session', { pendingHash: tokenHash, code, ...browser() }, actor);
      },
    ],
    'confirm-totp': [['user.totp'], async () => (await withTotp()).confirm],
    'create-session': [
      ['session.create'],
      async () => {
        const user = await newUser();
        return () => newSession(user);
      },
    ],
    'create-user': [['user.create'], async () => newUser],
    'end-sessions': [
      ['session.end'],
      async () => {
        const user = await newUser();
        const { id } = await newSession(user);
        return () => execute('end-sessions', { userId: user.id, which: { id } }, actor);
      },
    ],
    'invite-user': [
      ['user.invite'],
      async () => {
        const { id: userId } = await newUser();
        return () => execute('invite-user', { userId, purpose: 'reset', tokenHash: randomBytes(32) }, actor);
      },
    ],
    'remove-totp': [
      ['user.totp'],
      async () => {
        const { userId } = await enabled();
        return () => execute('remove-totp', { userId, session: null }, actor);
      },
    ],
    'replace-recovery-codes': [
      ['user.recovery_codes'],
      async () => {
        const { userId } = await enabled();
        return () => execute('replace-recovery-codes', { userId, hashes: [randomBytes(32)] }, actor);
      },
    ],
    'set-password': [
      ['user.password'],
      async () => {
        const { id: userId, passwordHash: verified } = await newUser();
        return () => execute('set-password', { userId, passwordHash: 'other', verified, session: 0 }, actor);
      },
    ],
    'update-user': [
      ['user.update'],
      async () => {
        const { id } = await newUser();
        return () => execute('update-user', { id, changes: { role: 'support' } }, actor);
      },
    ],
  };
}
