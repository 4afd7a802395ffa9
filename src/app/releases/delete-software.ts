import { done, type Outcome } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { findOwnSoftware } from './software.ts';

/** Deletes software and its releases: the keys of bytes that nothing refers to any more. */
export const deleteSoftware: Command<{ named: string }, Outcome<{ unused: string[] }>> = async (
  transaction,
  { named },
  { actor, record },
) => {
  const found = await findOwnSoftware(transaction, named, actor);
  if (!found.ok) return found;
  await transaction.software.delete(found.value.id);
  const subject = { type: 'software', id: found.value.id } as const;
  record({ action: 'software.delete', subject, before: found.value });
  return done({ unused: await transaction.artifacts.dropUnused() });
};
