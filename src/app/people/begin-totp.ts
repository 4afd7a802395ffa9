import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface BeginTotp {
  userId: number;
  secret: string;
}

/** Keeps the secret of an authenticator, which is not used before `confirm-totp`. */
export const beginTotp = defineCommand({
  name: 'begin-totp',
  audit: { never: 'nothing changes before confirm-totp, which is recorded' },
  run: async ({ users }, { userId, secret }: BeginTotp): Promise<Outcome<null>> => {
    const user = await users.find(userId);
    if (!user) return refused('user_not_found', { named: String(userId) });
    if (user.hasTotp) return refused('totp_is_on');
    await users.update(userId, { totpPending: secret });
    return done(null);
  },
});
