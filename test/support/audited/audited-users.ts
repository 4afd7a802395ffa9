import { randomBytes } from 'node:crypto';
import type { Running } from '../service.ts';
import { actor, audited, browser, type Changes, created } from './audited.ts';

/** Returns changes by the commands of users. */
export function userChanges(api: Pick<Running, 'service'>): Changes {
  const { execute } = api.service;
  const { must, newUser, newSession } = audited(api);
  const withTotp = async () => {
    const user = await newUser();
    const { id: session } = await newSession(user);
    const userId = user.id;
    await must(execute('begin-totp', { userId, secret: 'ABC' }, actor));
    return { user, confirmation: { userId, secret: 'ABC', step: 1, recoveryHashes: [], session } };
  };
  const enabled = async () => {
    const { user, confirmation } = await withTotp();
    await must(execute('confirm-totp', confirmation, actor));
    return user;
  };
  return {
    'accept-invitation': [
      ['user.password', 'session.create'],
      async () => {
        const { id: userId } = await newUser();
        const linkHash = randomBytes(32);
        await must(execute('invite-user', { userId, purpose: 'reset', tokenHash: linkHash }, actor));
        return { linkHash, passwordHash: 'other', owner: null, session: { ...browser(), replaces: null } };
      },
    ],
    'complete-session': [
      ['session.create'],
      async () => {
        const { tokenHash: pendingHash } = await newSession(await enabled());
        return { pendingHash, code: { kind: 'totp', secret: 'ABC', step: 2 }, ...browser() };
      },
    ],
    'confirm-totp': [['user.totp'], async () => (await withTotp()).confirmation],
    'create-session': [
      ['session.create'],
      async () => {
        const { id: userId, passwordHash } = await newUser();
        return { userId, passwordHash, ...browser(), replaces: null };
      },
    ],
    'create-user': [['user.create'], created.user],
    'end-sessions': [
      ['session.end'],
      async () => {
        const user = await newUser();
        const { id } = await newSession(user);
        return { userId: user.id, which: { id } };
      },
    ],
    'invite-user': [
      ['user.invite'],
      async () => ({ userId: (await newUser()).id, purpose: 'reset', tokenHash: randomBytes(32) }),
    ],
    'remove-totp': [['user.totp'], async () => ({ userId: (await enabled()).id, session: null })],
    'replace-recovery-codes': [
      ['user.recovery_codes'],
      async () => ({ userId: (await enabled()).id, hashes: [randomBytes(32)] }),
    ],
    'set-password': [
      ['user.password'],
      async () => {
        const { id: userId, passwordHash: verified } = await newUser();
        return { userId, passwordHash: 'other', verified, session: 0 };
      },
    ],
    'update-user': [
      ['user.update'],
      async () => ({ id: (await newUser()).id, changes: { role: 'support' } }),
    ],
  };
}
