import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface ReplaceRecoveryCodes {
  userId: number;
  hashes: readonly Uint8Array[];
}

/** Gives a user with a second factor new recovery codes; the old ones stop working. */
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
