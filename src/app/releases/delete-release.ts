import { done, type Outcome } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { findOwnRelease, type ReleaseName } from './releases.ts';

/** Deletes a release: the keys of bytes that nothing refers to any more. */
export const deleteRelease: Command<{ named: ReleaseName }, Outcome<{ unused: string[] }>> = async (
  transaction,
  { named },
  { actor, record },
) => {
  const found = await findOwnRelease(transaction, named, actor);
  if (!found.ok) return found;
  await transaction.releases.delete(found.value.id);
  const subject = { type: 'release', id: found.value.id } as const;
  record({ action: 'release.delete', subject, before: found.value });
  return done({ unused: await transaction.artifacts.dropUnused() });
};
