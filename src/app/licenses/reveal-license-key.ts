import { done, type Outcome } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { findLicense } from './licenses.ts';

/** Shows somebody the key of a license who sees it masked elsewhere, and records that. */
export const revealLicenseKey: Command<{ id: number }, Outcome<string>> = async (
  transaction,
  { id },
  { actor, record },
) => {
  const found = await findLicense(transaction, { id }, actor);
  if (!found.ok) return found;
  record({ action: 'license.reveal', subject: { type: 'license', id } });
  return done(found.value.key);
};
