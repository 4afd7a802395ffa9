import { makeLinkToken } from '../../app/people/session-tokens.ts';
import { consoleAddress } from '../../config/config.ts';
import { refusal } from '../../domain/refusal.ts';
import { emailKeyOf, type User } from '../../domain/user.ts';
import type { Service } from '../../installation/service.ts';
import type { Reads } from '../../store/store.ts';
import { failureOf } from '../failure.ts';
import { OWNER } from '../open.ts';
import type { Run } from '../run.ts';
import { settingsOf } from '../settings.ts';

/** How a command is told which user is meant. */
export const NAMED = 'The email address, or the id as "list" shows it';

/** @throws Failure where there is none */
export async function findUser({ users }: Reads, named: string): Promise<User> {
  const found = named.includes('@')
    ? await users.findByEmail(emailKeyOf(named.trim()))
    : (await users.list()).find(({ id }) => String(id) === named);
  if (found) return found;
  throw failureOf(refusal('user_not_found', { named }));
}

/** A link by which a user sets a password, and until when it is good. @throws Failure */
export async function makeLink(
  { execute }: Service,
  user: User,
  run: Run,
): Promise<{ link: string; expires_at: string }> {
  const { token, tokenHash } = makeLinkToken();
  const purpose = user.hasPassword ? 'reset' : 'invitation';
  const made = await execute('invite-user', { userId: user.id, purpose, tokenHash }, OWNER);
  if (!made.ok) throw failureOf(made.refusal);
  const { config } = settingsOf(run);
  return { link: `${consoleAddress(config, config.port)}/setup#${token}`, expires_at: made.value };
}

export const linkLines = ({ link, expires_at }: { link: string; expires_at: string }): string[] => [
  `  ${link}`,
  '',
  `It is good once, until ${expires_at} UTC. Where the console has another address, put that before /console.`,
];
