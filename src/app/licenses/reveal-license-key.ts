import { done, type Outcome } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findLicense } from './licenses.ts';

/** Shows the whole key of a license to somebody who otherwise sees it masked, and records that. */
export const revealLicenseKey = defineCommand({
  name: 'reveal-license-key',
  guarded: true,
  audit: 'always',
  run: async (transaction, { id }: { id: number }, { actor, record }): Promise<Outcome<string>> => {
    const found = await findLicense(transaction, { id }, actor);
    if (!found.ok) return found;
    record({ action: 'license.reveal', id });
    return done(found.value.key);
  },
});
