import type { TFunction } from 'i18next';

/** Who made a change, as the audit trail says. */
export interface Actor {
  /** Null if a program made the change and the audit trail has no entry of its own for it. */
  via: 'api' | 'cli' | 'console' | 'system' | null;
  user_id: number | null;
  /** Null if the user was deleted. */
  user_name: string | null;
  api_key_id: number | null;
  api_key_description: string | null;
  origin: string | null;
}

/**
 * Names an actor: a user, a program with its API key, the command line with its operating system user, or the server
 * itself.
 */
export function actorText(
  t: TFunction<'audit'>,
  { via, user_id, user_name, origin, ...actor }: Actor,
): string {
  const { api_key_id: key, api_key_description: description } = actor;
  if (key !== null) return t('withKey', { name: description || key });
  if (via === 'cli') return t('byCli', { origin: origin ?? '–' });
  if (via === 'system') return t('bySystem');
  return user_name ?? (user_id && via !== 'api' ? t('gone', { id: user_id }) : t('program'));
}
