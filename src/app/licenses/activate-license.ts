import type { ActivateInput, ActivationSource, LicensedActivation } from '../../domain/activation.ts';
import { isPerson } from '../../domain/actor.ts';
import { type License, type LicenseName, mayActivate } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { covers, reachesSoftware } from '../../domain/software.ts';
import type { Command } from '../command.ts';
import { changeOfActivation, findActivation } from './activations.ts';
import { findLicense } from './licenses.ts';

const TOKEN_DIGITS = 40;

export interface Activate extends ActivateInput {
  named: LicenseName;
  source: ActivationSource;
  ipAddress: string | null;
  userAgent: string | null;
}

/**
 * Makes an activation, or makes a deactivated one valid again, which is recorded where a person does it; new ones are made by
 * programs only. The order of the checks is the contract's.
 */
export const activateLicense: Command<Activate, Outcome<LicensedActivation>> = async (
  transaction,
  input,
  { actor, now, randomHex, record },
) => {
  // Looked up all at once, because an engine may be far away; the order of the checks is that below.
  const [found, presented, named] = await Promise.all([
    findLicense(transaction, input.named, actor),
    input.token === null ? null : findActivation(transaction, input.token, actor),
    input.software === null ? null : transaction.software.find(input.software),
  ]);
  if (!found.ok) return found;
  const earlier = presented && deactivatedOf(found.value, presented);
  if (earlier && !earlier.ok) return earlier;
  // Where there is an activation, its license as it was read with it: one answer tells of one moment.
  const license = earlier?.value.license ?? found.value;
  const allowed = mayActivate(license, now);
  if (!allowed.ok) return allowed;
  const software = named && reachesSoftware(actor, named) ? named : null;
  if (software && !covers(software, license)) return refused('software_not_covered');

  const full = refused('activation_limit_reached', { limit: license.activationsLimit });
  if (earlier) {
    const { activation } = earlier.value;
    // Before the place: who loses against another's reactivation must not find the license full of that one.
    const won = await transaction.activations.reactivate(activation.id, now);
    if (!won) return refused('activation_already_active');
    const timesActivated = await transaction.licenses.takePlace(license);
    if (timesActivated === null) return full;
    if (isPerson(actor)) record(changeOfActivation('activation.reactivate', activation));
    return done({
      activation: { ...activation, deactivatedAt: null, updatedAt: now },
      license: { ...license, timesActivated },
    });
  }
  const { label, meta, source, ipAddress, userAgent } = input;
  const row = {
    label,
    meta,
    source,
    ipAddress,
    userAgent,
    licenseId: license.id,
    softwareId: software?.id ?? null,
    token: randomHex(TOKEN_DIGITS),
    createdAt: now,
  };
  const made = await transaction.activations.insertInPlace(license, row);
  if (!made) return full;
  return done({ activation: made.activation, license: { ...license, timesActivated: made.timesActivated } });
};

/** The activation of a token, where it is the license's and may become valid again. */
function deactivatedOf(license: License, found: Outcome<LicensedActivation>): Outcome<LicensedActivation> {
  if (!found.ok) return found;
  if (found.value.license.id !== license.id) return refused('activation_of_another_license');
  if (found.value.activation.deactivatedAt === null) return refused('activation_already_active');
  return found;
}
