import { randomBytes } from 'node:crypto';
import {
  ACTIVATION_SOURCE,
  type ActivateInput,
  type Activation,
  type ActivationSource,
  type LicensedActivation,
} from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { type Binding, leasedUntilFrom } from '../../domain/lease.ts';
import { type License, type LicenseName, mayActivate } from '../../domain/licenses/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { covers, reachesSoftware } from '../../domain/releases/software.ts';
import { endedAt, seatEnd } from '../../domain/seats.ts';
import type { RepeatableRequest, Transaction } from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';
import { bindingOf } from '../leases/binding.ts';
import { factOf, findActivation, reactivate } from './activations.ts';
import { asHeld } from './held-seats.ts';
import { findLicense } from './licenses.ts';
import { once } from './repeatable.ts';
import { deviceOf, forgetEnded, keepSeat, takeSeat } from './seats.ts';

interface Activate extends Omit<ActivateInput, 'fingerprint'> {
  fingerprint?: string | null;
  named: LicenseName;
  source: ActivationSource;
  ipAddress: string | null;
  userAgent: string | null;
  /** Hours to borrow a floating seat for, limited by the license. */
  borrowHours?: number;
  /** Takes over the seat of another device if no seat is free. */
  takeover?: boolean;
  /** Refuses software that does not exist; otherwise it is ignored. */
  mustCover?: boolean;
  /** Refuses a license of another product. */
  product?: number | null;
  /** For a device without network: borrows a floating seat for the days of its lease; refused if the license lends none. */
  isOffline?: boolean;
  /** As in `mayActivate`. */
  first?: 'expired' | 'disabled';
  /** Whether the device gets leases. */
  leases?: boolean;
  /** Public half of the device key, which leases are bound to. */
  deviceKey?: string | null;
  /** Number of ended activations to keep of the license; 0, the default, keeps all. */
  keep?: number;
  /** Set for an idempotent request: a repetition gets the same answer. */
  request?: RepeatableRequest | null;
}

/** @property isNew false if the device had its seat already */
export interface Activated extends LicensedActivation {
  isNew: boolean;
}

/**
 * Gives a device a seat: the seat that it already has, or a new one. With a token, reactivates that ended activation
 * instead. The contract fixes the order of the checks.
 */
export const activateLicense = defineCommand({
  name: 'activate-license',
  guarded: true,
  audit: 'people',
  usage: 'activations',
  run: async (transaction, { request = null, ...input }: Activate, context): Promise<Outcome<Activated>> => {
    if (request === null) {
      const activated = await activate(transaction, input, context);
      if (!activated.ok) return activated;
      const { activation } = activated.value;
      if (input.isOffline) context.record(factOf('activation.lease', activation));
      else if (input.source === ACTIVATION_SOURCE.console)
        context.record(factOf('activation.add', activation));
      return activated;
    }
    const found = await findLicense(transaction, input.named, context.actor);
    if (!found.ok) return found;
    return once(transaction, found.value.id, request, context.now, () =>
      activate(transaction, input, context),
    );
  },
});

async function activate(
  transaction: Transaction,
  input: Activate,
  context: Context,
): Promise<Outcome<Activated>> {
  const { actor, now } = context;
  // Run the look-ups concurrently: the database may be a network round trip away.
  const [found, presented, named] = await Promise.all([
    findLicense(transaction, input.named, actor),
    input.token === null ? null : findActivation(transaction, input.token, actor),
    input.software === null ? null : transaction.software.find(input.software),
  ]);
  if (!found.ok) return found;
  const earlier = presented && endedOf(found.value, presented, now);
  if (earlier && !earlier.ok) return earlier;
  // With a presented activation, use the license read with it, so that the answer describes one moment.
  const license = earlier?.value.license ?? found.value;
  const allowed = mayActivate(license, now, input.first);
  if (!allowed.ok) return allowed;
  const software = named && reachesSoftware(actor, named) ? named : null;
  const { product = null, mustCover = false } = input;
  const isCovered = software ? covers(software, license) : input.software === null || !mustCover;
  if (!isCovered) return refused('software_not_covered');
  if (product !== null && license.productId !== null && product !== license.productId)
    return refused('software_not_covered');
  const { isOffline = false, takeover = false } = input;
  if (isOffline && license.seatTtl > 0 && license.borrowMaxHours === 0) return refused('seat_not_borrowable');
  if (earlier) {
    const reactivated = await reactivate(transaction, earlier.value, context);
    return reactivated.ok ? done({ ...reactivated.value, isNew: false }) : reactivated;
  }

  const { label, meta, source, ipAddress, userAgent } = input;
  const borrowHours = isOffline ? license.offlineLeaseDays * 24 : (input.borrowHours ?? 0);
  const device = await deviceOf(transaction, license, input);
  const binding = bindingOf(input);
  const token = randomBytes(20).toString('hex');
  const keepOwn = async (): Promise<Activated | null> => {
    const own = device === null ? null : await transaction.activations.findByDevice(license.id, device);
    if (!own || own.token === token) return null;
    const said = {
      ipAddress,
      userAgent,
      ...(label !== null && { label }),
      ...(meta && { meta }),
      ...(software && { softwareId: software.id }),
    };
    const kept = await keepSeat(transaction, { activation: own, license }, said, now, borrowHours);
    if (!kept) return null;
    if (input.leases && binding) await rebind(transaction, own, binding);
    return { ...kept, isNew: false };
  };
  const kept = await keepOwn();
  if (kept) return done(kept);
  const seatExpiresAt = seatEnd(license, now, borrowHours);
  const row = {
    device,
    seatExpiresAt,
    ...(binding && { binding }),
    ...(input.leases && { leasedUntil: leasedUntilFrom(license, seatExpiresAt, now, isOffline) }),
    label,
    meta,
    source,
    ipAddress,
    userAgent,
    licenseId: license.id,
    softwareId: software?.id ?? null,
    token,
    createdAt: now,
  };
  await forgetEnded(transaction, license, input.keep ?? 0, context);
  const take = () => transaction.activations.insertWithSeat(license, row);
  const made = await takeSeat(transaction, license, take, context, { takeover, device });
  if (!made.ok) {
    // A concurrent request of the same device may have taken the last seat.
    const late = await keepOwn();
    return late ? done(late) : made;
  }
  const { activation, timesActivated } = made.value;
  const seat = { activation, license: await asHeld(transaction, { ...license, timesActivated }, now) };
  context.record({ action: 'activation.create', id: license.id, seat });
  return done({ ...seat, isNew: true });
}

/** Binds leases to the fingerprint and key that a device has sent. Without a new fingerprint, the stored one stays. */
async function rebind({ activations }: Transaction, own: Activation, { fp, x }: Binding): Promise<void> {
  const known = fp === null ? await activations.findLeasable(own.token) : null;
  await activations.bind(own, { fp: fp ?? known?.binding?.fp ?? null, x });
}

/** Returns the presented activation. Refuses it if it is still valid or belongs to another license. */
function endedOf(
  license: License,
  found: Outcome<LicensedActivation>,
  now: Datetime,
): Outcome<LicensedActivation> {
  if (!found.ok) return found;
  if (found.value.license.id !== license.id) return refused('activation_of_another_license');
  if (endedAt(found.value.activation, now) === null) return refused('activation_already_active');
  return found;
}
