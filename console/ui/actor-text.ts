import type { TFunction } from 'i18next';
import type { Item } from '../client/api.ts';

/**
 * Who made a change. `via` is null if a program made the change and the audit trail has no entry of its own for it,
 * `user_name` if the user was deleted.
 */
type Actor = Pick<
  Item<'listLicenseHistory'>,
  'via' | 'user_id' | 'user_name' | 'api_key_id' | 'api_key_description' | 'origin'
>;

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
  if (via === 'cli') return origin === null ? t('via.cli') : t('byCli', { origin });
  if (via === 'system') return t('bySystem');
  return user_name ?? (user_id && via !== 'api' ? t('gone', { id: user_id }) : t('program'));
}
