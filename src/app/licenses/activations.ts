import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import { type Actor, reaches } from '../../domain/actor.ts';
import type { AuditAction, Fact } from '../../domain/audit.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { Leasable } from '../../domain/lease.ts';
import { type License, type LicenseName, mayActivate } from '../../domain/licenses/license.ts';
import { done, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import { endedAt, seatEnd } from '../../domain/seats.ts';
import {
  ACTIVATIONS_AT_ONCE,
  type Reads,
  type RepeatableRequest,
  type Transaction,
} from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';
import { FORGOTTEN_AT_ONCE, isTurnToForget } from '../discarding.ts';
import { unlessTaken } from '../unless-taken.ts';
import { asHeld } from './held-seats.ts';
import { findLicense } from './licenses.ts';
import { once } from './repeatable.ts';
import { endLapsed, keepSeat, takeoversSince, takeSeatAgain } from './seats.ts';

/** Finds an activation by its token or id, with its license, if it exists for this actor. */
export async function findActivation(
  { activations }: Pick<Reads, 'activations'>,
  named: string | { id: number },
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const byToken = typeof named === 'string';
  const found = await (byToken ? activations.findByToken(named) : activations.find(named.id));
  if (found && reaches(actor, found.license)) return done(found);
  return notFound('activation', byToken ? named : String(named.id));
}

/** Finds an activation by its token. Refuses it if it belongs to another license than the named one. */
export async function findActivationOfLicense(
  reads: Reads,
  named: LicenseName | undefined,
  token: string,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  if (named === undefined) return findActivation(reads, token, actor);
  const [license, found] = await Promise.all([
    findLicense(reads, named, actor),
    findActivation(reads, token, actor),
  ]);
  if (!license.ok) return license;
  if (!found.ok || found.value.license.id === license.value.id) return found;
  return refused('activation_of_another_license');
}

/** Finds an activation by its token. Refuses with `license_deleted` if it was valid when its license was deleted. */
export async function findEvenDeleted(
  reads: Pick<Reads, 'activations'>,
  token: string,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  return orDeleted(reads, token, await findActivation(reads, token, actor));
}

/** Finds an activation by its token, with the data that its leases depend on. */
export async function findLeasable(
  reads: Pick<Reads, 'activations'>,
  token: string,
  actor: Actor,
): Promise<Outcome<Leasable>> {
  const found = await reads.activations.findLeasable(token);
  const isThere = found !== null && reaches(actor, found.license);
  return isThere ? done(found) : orDeleted(reads, token, notFound('activation', token));
}

async function orDeleted<Found>(
  { activations }: Pick<Reads, 'activations'>,
  token: string,
  found: Outcome<Found>,
): Promise<Outcome<Found>> {
  if (found.ok || !(await activations.wasDeleted(token))) return found;
  return refused('activation_deactivated', { as: 'license_deleted' });
}

/** Returns the fact about an activation that the audit trail records. */
export const factOf = (
  action: AuditAction & `activation.${string}`,
  { id, licenseId, label, ipAddress }: Activation,
  more: Readonly<Record<string, unknown>> = {},
): Fact => ({ action, id: licenseId, about: { activation_id: id, label, ip_address: ipAddress, ...more } });

interface Deactivate {
  token: string;
  /** Refuses an activation of another license. */
  named?: LicenseName;
  /** Number of deactivated activations to keep of the license; 0, the default, keeps all. */
  keep?: number;
  /** Set for an idempotent request: a repetition gets the same answer. */
  request?: RepeatableRequest | null;
}

/** Deactivates an activation and frees its seat, whatever the state of its license. */
export const deactivateActivation = defineCommand({
  name: 'deactivate-activation',
  guarded: true,
  audit: 'people',
  usage: 'deactivations',
  run: async (
    transaction,
    { token, named, keep = 0, request = null }: Deactivate,
    context,
  ): Promise<Outcome<LicensedActivation>> => {
    const found = await findActivationOfLicense(transaction, named, token, context.actor);
    if (!found.ok) return found;
    const end = () => endActivation(transaction, found.value, keep, context);
    return request === null ? end() : once(transaction, found.value.license.id, request, context.now, end);
  },
});

/** Ends a valid or lapsed activation, and frees its seat. @param keep as in `Deactivate` */
export async function endActivation(
  { activations, licenses }: Transaction,
  { activation, license }: LicensedActivation,
  keep: number,
  context: Context,
): Promise<Outcome<LicensedActivation>> {
  const { now, record } = context;
  const isForgetting = keep > 0 && isTurnToForget();
  // `forget` also changes rows in this command, which `deactivateAndFreeSeat` does not allow.
  const end = async () => {
    if (!isForgetting) return activations.deactivateAndFreeSeat(activation, now);
    return (await activations.deactivate(activation.id, now)) ? licenses.freeSeat(license.id) : null;
  };
  let left = await end();
  // An activation recorded as lapsed holds no seat, but its program may take one again at any time, so try both ways.
  const wasLapsed = left === null && (await activations.deactivateLapsed(activation.id, now));
  if (left === null && !wasLapsed) left = await end();
  if (left === null && !wasLapsed) return refused('activation_already_deactivated');
  const timesActivated = left ?? license.timesActivated;
  const seat = {
    activation: { ...activation, deactivatedAt: now, updatedAt: now },
    license: await asHeld({ activations }, { ...license, timesActivated }, now),
  };
  record({ ...factOf('activation.deactivate', activation), seat });
  if (isForgetting) await activations.forget(license.id, keep, FORGOTTEN_AT_ONCE, takeoversSince(now));
  return done(seat);
}

interface DeactivateLicense {
  named: LicenseName;
  /** False to end only the newest valid activation. */
  all: boolean;
  /** As in `Deactivate`. */
  keep?: number;
}

/** The activations that a step deactivated. Unless `isDone`, the license has more valid ones. */
interface DeactivateStep {
  isDone: boolean;
  license: License;
  activations: Activation[];
}

/**
 * Deactivates the newest valid activation of a license, or all of them, whatever the state of the license. More than
 * ACTIVATIONS_AT_ONCE take several steps (`inSteps`). Refuses if none is valid.
 */
export const deactivateLicense = defineCommand({
  name: 'deactivate-license',
  guarded: true,
  audit: 'people',
  usage: 'deactivations',
  run: async (
    transaction,
    { named, all, keep = 0 }: DeactivateLicense,
    context,
  ): Promise<Outcome<DeactivateStep>> => {
    const { actor, now, record } = context;
    const found = await findLicense(transaction, named, actor);
    if (!found.ok) return found;
    const { id } = found.value;
    const valid = await transaction.activations.before(id, MAX_REFERENCE);
    const held = valid.filter((one) => endedAt(one, now) === null);
    const ended: Activation[] = [];
    // For all: lock in the order of ids, like other commands. For one: the newest that no concurrent command deactivates.
    for (const activation of all ? valid.toReversed() : held) {
      if (!(await transaction.activations.deactivate(activation.id, now))) continue;
      ended.push({ ...activation, deactivatedAt: now, updatedAt: now });
      if (!all) break;
    }
    if (ended.length === 0) return refused('activation_already_deactivated');
    const timesActivated = await transaction.licenses.freeSeat(id, ended.length);
    const license = await asHeld(transaction, { ...found.value, timesActivated }, now);
    for (const activation of ended)
      record({ ...factOf('activation.deactivate', activation), seat: { activation, license } });
    if (keep > 0 && (all || isTurnToForget()))
      await transaction.activations.forget(id, keep, FORGOTTEN_AT_ONCE + ended.length, takeoversSince(now));
    const isDone = !all || valid.length < ACTIVATIONS_AT_ONCE || timesActivated === 0;
    return done({ isDone, license, activations: ended });
  },
});

/** Reactivates an activation that has ended, if its license has a seat for it. */
export const reactivateActivation = defineCommand({
  name: 'reactivate-activation',
  guarded: true,
  audit: 'always',
  usage: 'activations',
  run: async (transaction, { id }: { id: number }, context): Promise<Outcome<LicensedActivation>> => {
    const found = await findActivation(transaction, { id }, context.actor);
    if (!found.ok) return found;
    if (endedAt(found.value.activation, context.now) === null) return refused('activation_already_active');
    const allowed = mayActivate(found.value.license, context.now);
    return allowed.ok ? reactivate(transaction, found.value, context) : allowed;
  },
});

/** Reactivates an activation. The caller has checked that it has ended and that its license may be activated. */
export async function reactivate(
  transaction: Transaction,
  { activation, license }: LicensedActivation,
  context: Context,
): Promise<Outcome<LicensedActivation>> {
  const { activations } = transaction;
  const { now, record } = context;
  if (activation.deactivatedAt === null) {
    const kept = await keepSeat(transaction, { activation, license }, {}, now);
    if (kept) {
      record({ ...factOf('activation.reactivate', activation), seat: kept });
      return done(kept);
    }
    await endLapsed(transaction, license, ACTIVATIONS_AT_ONCE, context);
  }
  // Reactivate first, then take a seat: a concurrent reactivation must not make the license look full.
  const seatExpiresAt = seatEnd(license, now);
  const won = await unlessTaken(refused('activation_already_active'), () =>
    activations.reactivate(activation.id, now, seatExpiresAt),
  );
  if (!won.ok) return won;
  if (!won.value) return refused('activation_already_active');
  const seated = await takeSeatAgain(transaction, { activation, license }, seatExpiresAt, context);
  if (seated.ok) record({ ...factOf('activation.reactivate', activation), seat: seated.value });
  return seated;
}

/** Deletes an activation. Frees the seat of a valid one. */
export const deleteActivation = defineCommand({
  name: 'delete-activation',
  guarded: true,
  audit: 'always',
  run: async (transaction, { id }: { id: number }, { actor, now, record }): Promise<Outcome<null>> => {
    const found = await findActivation(transaction, { id }, actor);
    if (!found.ok) return found;
    const deleted = await transaction.activations.delete(id, now);
    if (!deleted) return notFound('activation', String(id));
    const wasValid = deleted.deactivatedAt === null;
    const { activation, license } = found.value;
    const timesActivated = wasValid ? await transaction.licenses.freeSeat(license.id) : 0;
    record({
      ...factOf('activation.delete', activation, { was_valid: wasValid }),
      ...(wasValid && {
        seat: {
          activation: { ...activation, deactivatedAt: now },
          license: await asHeld(transaction, { ...license, timesActivated }, now),
        },
      }),
    });
    return done(null);
  },
});
