import type {
  ActivateInput,
  Activation,
  ActivationSource,
  LicensedActivation,
} from '../domain/activation.ts';
import type { Actor } from '../domain/actor.ts';
import type { Datetime } from '../domain/datetime.ts';
import { type License, mayActivate } from '../domain/license.ts';
import { done, type Outcome, refused } from '../domain/refusal.ts';
import { covers, reachesSoftware } from '../domain/software.ts';
import type { Transaction } from '../store/store.ts';
import { findActivation } from './activations.ts';
import type { Command } from './command.ts';
import { findLicense } from './licenses.ts';

const TOKEN_DIGITS = 40;

export interface Activate extends ActivateInput {
  /** The license, by key or `hashed-{hash}`. */
  named: string;
  source: ActivationSource;
  ipAddress: string | null;
  userAgent: string | null;
}

/** Makes an activation, or makes a deactivated one valid again. The order of the checks is the contract's. */
export const activateLicense: Command<Activate, Outcome<LicensedActivation>> = async (
  transaction,
  input,
  { actor, now, randomHex },
) => {
  const found = await findLicense(transaction, input.named, actor);
  if (!found.ok) return found;
  const license = found.value;

  const earlier =
    input.token === null ? null : await findDeactivated(transaction, license, input.token, actor);
  if (earlier && !earlier.ok) return earlier;
  const allowed = mayActivate(license, now);
  if (!allowed.ok) return allowed;

  const software = await namedSoftware(transaction, license, input.software, actor);
  if (!software.ok) return software;

  const timesActivated = await transaction.licenses.takePlace(license.id);
  if (timesActivated === null) {
    return refused({ reason: 'activation_limit_reached', limit: license.activationsLimit });
  }
  if (!earlier) {
    const { label, meta, source, ipAddress, userAgent } = input;
    const row = {
      label,
      meta,
      source,
      ipAddress,
      userAgent,
      licenseId: license.id,
      softwareId: software.value,
      token: randomHex(TOKEN_DIGITS),
      createdAt: now,
    };
    const activation = await transaction.activations.insert(row);
    return done({ activation, license: { ...license, timesActivated } });
  }
  const activation = await reactivate(transaction, earlier.value, now);
  return activation.ok
    ? done({ activation: activation.value, license: { ...license, timesActivated } })
    : activation;
};

/** The id of the software that was named; null where there is none of that id for this actor. */
async function namedSoftware(
  transaction: Transaction,
  license: License,
  id: number | null,
  actor: Actor,
): Promise<Outcome<number | null>> {
  const software = id === null ? null : await transaction.software.find(id);
  if (!software || !reachesSoftware(actor, software)) return done(null);
  return covers(software, license) ? done(software.id) : refused({ reason: 'software_not_covered' });
}

async function findDeactivated(
  transaction: Transaction,
  license: License,
  token: string,
  actor: Actor,
): Promise<Outcome<Activation>> {
  const found = await findActivation(transaction, token, actor);
  if (!found.ok) return found;
  const { activation } = found.value;
  if (found.value.license.id !== license.id) return refused({ reason: 'activation_of_another_license' });
  if (activation.deactivatedAt === null) return refused({ reason: 'activation_already_active' });
  return done(activation);
}

async function reactivate(
  transaction: Transaction,
  activation: Activation,
  now: Datetime,
): Promise<Outcome<Activation>> {
  const won = await transaction.activations.reactivate(activation.id, now);
  if (!won) return refused({ reason: 'activation_already_active' });
  return done({ ...activation, deactivatedAt: null, updatedAt: now });
}
