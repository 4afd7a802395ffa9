import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import { type Actor, reaches } from '../../domain/actor.ts';
import type { AuditAction, Change } from '../../domain/audit.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';

/** The activation of a token with its license, if it exists for this actor. */
export async function findActivation(
  reads: Reads,
  token: string,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const found = await reads.activations.findByToken(token);
  return found && reaches(actor, found.license)
    ? done(found)
    : refused('activation_not_found', { named: token });
}

/** The activation if it is valid. An expired or disabled license is for the client to read off the license. */
export async function validateActivation(
  reads: Reads,
  token: string,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const found = await findActivation(reads, token, actor);
  if (!found.ok || found.value.activation.deactivatedAt === null) return found;
  return refused('activation_deactivated');
}

/** What the audit trail tells of a change of an activation, at its license. */
export const changeOfActivation = (
  action: AuditAction & `activation.${string}`,
  { id, licenseId, label, ipAddress }: Activation,
  more: Readonly<Record<string, unknown>> = {},
): Change => ({
  action,
  subject: { type: 'license', id: licenseId },
  about: { activation_id: id, label, ip_address: ipAddress, ...more },
});
