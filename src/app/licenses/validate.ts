import type { LicensedActivation } from '../../domain/activation.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import type { Leasable } from '../../domain/lease.ts';
import { type LicenseName, mayActivate } from '../../domain/licenses/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { isSeatDue, seatEnd } from '../../domain/seats.ts';
import { ACTIVATIONS_AT_ONCE, type Reads, type Store } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';
import { hashOfFingerprint } from '../leases/binding.ts';
import type { UsageCounter } from '../reports/usage.ts';
import { unlessTaken } from '../unless-taken.ts';
import { factOf, findActivation, findActivationOfLicense, findLeasable } from './activations.ts';
import type { LastSeen } from './last-seen.ts';
import { endLapsed, isOfAnother, keepSeat, refusedAsEnded, takeSeatAgain } from './seats.ts';

interface Validating {
  store: Pick<Store, 'read'>;
  usage: UsageCounter;
  clock: Clock;
  lastSeen: LastSeen;
  execute: Executes<typeof extendSeat>;
}

interface Validate {
  token: string;
  /** Refuses an activation of another license. */
  named?: LicenseName;
  /** Whether the client checks `deactivatedAt` itself; by default, a deactivated activation is refused. */
  deactivated?: 'refused' | 'found';
  /** Set for HEAD: neither extends a seat nor counts a validation. */
  changesNothing?: boolean;
}

/**
 * Finds an activation, extends its floating seat, and counts the validation. The client checks the expiry and status of the
 * license itself.
 */
export async function validateActivation(
  services: Validating,
  { token, named, deactivated = 'refused', changesNothing = false }: Validate,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const { store } = services;
  const found = await findActivationOfLicense(store.read, named, token, actor);
  if (!found.ok) return found;
  const extended = changesNothing
    ? unlessEnded(found.value)
    : await extendIfDue(services, found.value, actor);
  if (!extended.ok && (deactivated === 'refused' || extended.refusal.code !== 'activation_deactivated'))
    return extended;
  const shown = extended.ok ? extended.value : found.value;
  if (!changesNothing) countValidation(services, shown);
  return done(shown);
}

/**
 * Extends a floating seat if that is due, or takes it again after it has lapsed.
 * @returns refused if the activation has ended
 */
export async function extendIfDue(
  { clock, execute }: Pick<Validating, 'clock' | 'execute'>,
  found: LicensedActivation,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const { activation } = found;
  if (mustExtend(found, toDatetime(clock())))
    return execute('extend-seat', { token: activation.token }, actor);
  return unlessEnded(found);
}

const unlessEnded = (found: LicensedActivation): Outcome<LicensedActivation> =>
  found.activation.deactivatedAt === null ? done(found) : refusedAsEnded(found.activation.endedAs);

export function countValidation(
  { usage, lastSeen }: Pick<Validating, 'usage' | 'lastSeen'>,
  { activation }: LicensedActivation,
): void {
  lastSeen.note(activation);
  usage.count('validations');
}

/**
 * Finds an activation whose device may use the program now; whether its seat has lapsed is left to `extendIfDue`. Unlike
 * `validateActivation`, it refuses expired and disabled licenses. Programs rely on the order of the checks.
 */
export async function mayUse(
  reads: Reads,
  token: string,
  fingerprint: string | null,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<Leasable>> {
  const found = await findLeasable(reads, token, actor);
  if (!found.ok) return found;
  const { activation, license } = found.value;
  if (activation.deactivatedAt !== null && activation.endedAs !== 'lapsed')
    return refusedAsEnded(activation.endedAs);
  const bound = found.value.binding?.fp ?? null;
  const isOther = fingerprint !== null && bound !== null && bound !== hashOfFingerprint(fingerprint);
  if (isOther || (await isOfAnother(reads, found.value, fingerprint))) return refused('fingerprint_mismatch');
  const allowed = mayActivate(license, now, 'disabled');
  return allowed.ok ? found : allowed;
}

/** Extends the floating seat of an activation, or takes it again after it has lapsed. */
export const extendSeat = defineCommand({
  name: 'extend-seat',
  guarded: true,
  audit: { never: 'validations are counted by day' },
  run: async (transaction, { token }: { token: string }, context): Promise<Outcome<LicensedActivation>> => {
    const found = await findActivation(transaction, token, context.actor);
    if (!found.ok) return found;
    const { activation, license } = found.value;
    const { now } = context;
    if (activation.deactivatedAt === null) {
      const kept = await keepSeat(transaction, found.value, {}, now);
      if (kept) return done(kept);
      await endLapsed(transaction, license, ACTIVATIONS_AT_ONCE, context);
    } else if (activation.endedAs !== 'lapsed') return refusedAsEnded(activation.endedAs);
    // Reactivate first, as `reactivate` does.
    const seatExpiresAt = seatEnd(license, now);
    const won = await unlessTaken(refusedAsEnded('lapsed'), () =>
      transaction.activations.reactivate(activation.id, now, seatExpiresAt, 'lapsed'),
    );
    if (!won.ok) return won;
    if (!won.value) {
      // A concurrent request of the same device was faster, or the activation was ended meanwhile.
      const again = await findActivation(transaction, token, context.actor);
      return again.ok && again.value.activation.deactivatedAt !== null
        ? refusedAsEnded(again.value.activation.endedAs)
        : again;
    }
    const seated = await takeSeatAgain(transaction, found.value, seatExpiresAt, context);
    if (!seated.ok) return refusedAsEnded('lapsed');
    context.record({ ...factOf('activation.reactivate', activation), seat: seated.value });
    return seated;
  },
});

/** Whether a validation must write, because a floating seat is due or has lapsed. */
const mustExtend = ({ activation, license }: LicensedActivation, now: Datetime): boolean =>
  (license.seatTtl > 0 || activation.seatExpiresAt !== null) &&
  (activation.deactivatedAt === null
    ? isSeatDue(license, activation.seatExpiresAt, now)
    : activation.endedAs === 'lapsed');
