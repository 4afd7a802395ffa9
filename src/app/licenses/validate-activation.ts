import type { LicensedActivation } from '../../domain/activation.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Outcome, refused } from '../../domain/refusal.ts';
import type { Services } from '../execute.ts';
import { findActivation } from './activations.ts';

/** The activation, if it is valid, and counts that. Whether the license has expired or is disabled, the client reads off it. */
export async function validateActivation(
  { store, usage }: Pick<Services, 'store' | 'usage'>,
  token: string,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const found = await findActivation(store.read, token, actor);
  if (!found.ok) return found;
  if (found.value.activation.deactivatedAt !== null) return refused('activation_deactivated');
  usage.count('validations');
  return found;
}
