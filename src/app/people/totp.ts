import { done, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import { isTotpPending, TOTP_TRIES } from '../../domain/user.ts';
import { defineCommand } from '../command.ts';

/** Values of a user without a second factor. */
export const NO_TOTP = { totpSecret: null, totpPending: null, totpPendingAt: null, totpLastStep: null };

/** Stores the secret of an authenticator. It takes effect with `confirm-totp`. */
export const beginTotp = defineCommand({
  name: 'begin-totp',
  audit: { never: 'nothing changes before confirm-totp, which is recorded' },
  run: async (
    { users },
    { userId, secret }: { userId: number; secret: string },
    { now },
  ): Promise<Outcome<null>> => {
    const user = await users.find(userId);
    if (!user) return notFound('user', String(userId));
    if (user.hasTotp) return refused('totp_is_on');
    await users.update(userId, { totpPending: secret, totpPendingAt: now, totpTries: 0 });
    return done(null);
  },
});

interface ConfirmTotp {
  userId: number;
  /** The secret that the code was compared with. */
  secret: string;
  /** The time step of the code; null if it was wrong. */
  step: number | null;
  recoveryHashes: readonly Uint8Array[];
  /** The session that stays; the others of the user end. */
  session: number;
}

/** Turns the second factor on if the code was right. */
export const confirmTotp = defineCommand({
  name: 'confirm-totp',
  audit: 'always',
  run: async (
    { users, sessions },
    { userId, secret, step, recoveryHashes, session }: ConfirmTotp,
    { now, record },
  ): Promise<Outcome<{ right: boolean; left: number }>> => {
    // Count before reading, so that concurrent tries see each other.
    await users.noteTotpTry(userId);
    const kept = await users.secrets(userId);
    if (kept?.totpPending !== secret || !isTotpPending(kept, now)) return refused('totp_expired');
    if (step === null) return done({ right: false, left: TOTP_TRIES - kept.totpTries });
    const confirmed = { totpSecret: secret, totpPending: null, totpPendingAt: null, totpLastStep: step };
    await users.update(userId, confirmed);
    await users.replaceRecoveryCodes(userId, recoveryHashes);
    const sessions_ended = await sessions.deleteOf(userId, session);
    record({ action: 'user.totp', id: userId, about: { second_factor: true, sessions_ended } });
    return done({ right: true, left: 0 });
  },
});

/** @property session the session that stays; null to end all of the user's sessions */
type RemoveTotp = { userId: number; session: number | null };

/** Turns the second factor off. */
export const removeTotp = defineCommand({
  name: 'remove-totp',
  audit: 'always',
  run: async ({ users, sessions }, { userId, session }: RemoveTotp, { record }): Promise<Outcome<null>> => {
    const user = await users.find(userId);
    if (!user) return notFound('user', String(userId));
    if (!user.hasTotp) return refused('totp_is_off');
    await users.update(userId, NO_TOTP);
    await users.replaceRecoveryCodes(userId, []);
    const sessions_ended = await sessions.deleteOf(userId, session);
    record({ action: 'user.totp', id: userId, about: { second_factor: false, sessions_ended } });
    return done(null);
  },
});

type ReplaceRecoveryCodes = { userId: number; hashes: readonly Uint8Array[] };

/** Replaces the recovery codes of a user with a second factor. The old ones stop working. */
export const replaceRecoveryCodes = defineCommand({
  name: 'replace-recovery-codes',
  audit: 'always',
  run: async ({ users }, { userId, hashes }: ReplaceRecoveryCodes, { record }): Promise<Outcome<null>> => {
    const user = await users.find(userId);
    if (!user?.hasTotp) return refused('totp_is_off');
    await users.replaceRecoveryCodes(userId, hashes);
    record({ action: 'user.recovery_codes', id: userId });
    return done(null);
  },
});
