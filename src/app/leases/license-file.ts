import type { Actor } from '../../domain/actor.ts';
import { type LicenseName, mayActivate } from '../../domain/licenses/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { endedAt } from '../../domain/seats.ts';
import { defineCommand, type Executes } from '../command.ts';
import { findLeasable } from '../licenses/activations.ts';
import { findLicense } from '../licenses/licenses.ts';
import { refusedAsEnded } from '../licenses/seats.ts';
import type { LeaseSubject, Leases } from './leases.ts';
import { LEASE_PREFIX } from './offline-texts.ts';

interface FileOf {
  named: LicenseName;
  /** Token of the only activation that may use the file; null for any device. */
  token: string | null;
}

/**
 * Records in the audit trail that a license file is given out: one for any device always, because it works on all of them;
 * one for a single device only if a person asks for it. A license file takes no seat. Refuses licenses that may not be
 * activated.
 */
export const recordLicenseFile = defineCommand({
  name: 'record-license-file',
  guarded: true,
  audit: 'people',
  usage: 'validations',
  run: async (transaction, { named, token }: FileOf, context): Promise<Outcome<LeaseSubject>> => {
    const { actor, now, record } = context;
    const found = await findLicense(transaction, named, actor);
    if (!found.ok) return found;
    const license = found.value;
    const allowed = mayActivate(license, now);
    if (!allowed.ok) return allowed;
    if (token === null) {
      record({ action: 'license.lease', id: license.id, always: true });
      return done({ license, activation: null });
    }
    const held = await findLeasable(transaction, token, actor);
    if (!held.ok) return held;
    const { activation } = held.value;
    if (activation.licenseId !== license.id) return refused('activation_of_another_license');
    if (endedAt(activation, now) !== null) return refusedAsEnded(activation.endedAs);
    record({ action: 'license.lease', id: license.id, about: { activation_id: activation.id } });
    return held;
  },
});

interface Services {
  execute: Executes<typeof recordLicenseFile>;
  leases: Leases;
}

/** Makes a license file: a lease for a device without network, or for any device. @param iss base URL of the server */
export async function licenseFile(
  { execute, leases }: Services,
  input: FileOf,
  iss: string,
  actor: Actor,
): Promise<Outcome<{ name: string; text: string }>> {
  const recorded = await execute('record-license-file', input, actor);
  if (!recorded.ok) return recorded;
  const lease = await leases.lease(recorded.value, { iss, isOffline: true });
  if (lease === null) return refused('no_lease');
  const name = `license-${recorded.value.license.id}.lic`;
  return done({ name, text: `${LEASE_PREFIX}${lease}\n` });
}
