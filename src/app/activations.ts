import type { LicensedActivation } from '../domain/activation.ts';
import { type Actor, reaches } from '../domain/actor.ts';
import { done, type Outcome, refused } from '../domain/refusal.ts';
import type { Reads } from '../store/store.ts';

/** The activation of a token with its license, if it exists for this actor. */
export async function findActivation(
  reads: Reads,
  token: string,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const found = await reads.activations.findByToken(token);
  return found && reaches(actor, found.license)
    ? done(found)
    : refused({ reason: 'activation_not_found', named: token });
}

/** The activation if it is valid. An expired or disabled license is for the client to read off the license. */
export async function validateActivation(
  reads: Reads,
  token: string,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const found = await findActivation(reads, token, actor);
  if (!found.ok || found.value.activation.deactivatedAt === null) return found;
  return refused({ reason: 'activation_deactivated' });
}
