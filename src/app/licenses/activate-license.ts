import type { ActivateInput, ActivationSource, LicensedActivation } from '../../domain/activation.ts';
import { type License, type LicenseName, mayActivate } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { covers, reachesSoftware } from '../../domain/software.ts';
import { defineCommand } from '../command.ts';
import { findActivation, reactivate } from './activations.ts';
import { findLicense } from './licenses.ts';

interface Activate extends ActivateInput {
  named: LicenseName;
  source: ActivationSource;
  ipAddress: string | null;
  userAgent: string | null;
}

/** Creates an activation, or reactivates a deactivated one. The contract fixes the order of the checks. */
export const activateLicense = defineCommand({
  name: 'activate-license',
  guarded: true,
  audit: 'people',
  usage: 'activations',
  run: async (transaction, input: Activate, context): Promise<Outcome<LicensedActivation>> => {
    const { actor, now, randomHex } = context;
    // Run the look-ups concurrently: the database may be a network round trip away.
    const [found, presented, named] = await Promise.all([
      findLicense(transaction, input.named, actor),
      input.token === null ? null : findActivation(transaction, input.token, actor),
      input.software === null ? null : transaction.software.find(input.software),
    ]);
    if (!found.ok) return found;
    const earlier = presented && deactivatedOf(found.value, presented);
    if (earlier && !earlier.ok) return earlier;
    // With a presented activation, use the license read with it, so that the answer describes one moment.
    const license = earlier?.value.license ?? found.value;
    const allowed = mayActivate(license, now);
    if (!allowed.ok) return allowed;
    const software = named && reachesSoftware(actor, named) ? named : null;
    if (software && !covers(software, license)) return refused('software_not_covered');
    if (earlier) return reactivate(transaction, earlier.value, context);

    const { label, meta, source, ipAddress, userAgent } = input;
    const row = {
      label,
      meta,
      source,
      ipAddress,
      userAgent,
      licenseId: license.id,
      softwareId: software?.id ?? null,
      token: randomHex(40),
      createdAt: now,
    };
    const made = await transaction.activations.insertInPlace(license, row);
    if (!made) return refused('activation_limit_reached', { limit: license.activationsLimit });
    return done({
      activation: made.activation,
      license: { ...license, timesActivated: made.timesActivated },
    });
  },
});

/** The presented activation, if it is deactivated and belongs to the license. */
function deactivatedOf(license: License, found: Outcome<LicensedActivation>): Outcome<LicensedActivation> {
  if (!found.ok) return found;
  if (found.value.license.id !== license.id) return refused('activation_of_another_license');
  if (found.value.activation.deactivatedAt === null) return refused('activation_already_active');
  return found;
}
