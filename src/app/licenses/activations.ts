import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import { type Actor, reaches } from '../../domain/actor.ts';
import type { AuditAction, Fact } from '../../domain/audit.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';

/** The activation of a token or an id, with its license, if it exists for this actor. */
export async function findActivation(
  { activations }: Pick<Reads, 'activations'>,
  named: string | { id: number },
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const byToken = typeof named === 'string';
  const found = await (byToken ? activations.findByToken(named) : activations.find(named.id));
  if (found && reaches(actor, found.license)) return done(found);
  return refused('activation_not_found', { named: byToken ? named : String(named.id) });
}

/** Reports a change of an activation. */
export const factOf = (
  action: AuditAction & `activation.${string}`,
  { id, licenseId, label, ipAddress }: Activation,
  more: Readonly<Record<string, unknown>> = {},
): Fact => ({
  action,
  id: licenseId,
  about: { activation_id: id, label, ip_address: ipAddress, ...more },
});
