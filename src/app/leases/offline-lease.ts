import type { ActivationSource } from '../../domain/activation.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Store } from '../../store/store.ts';
import type { Executes } from '../command.ts';
import type { Activated, activateLicense } from '../licenses/activate-license.ts';
import { readCompact } from './compact.ts';
import type { Leases } from './leases.ts';
import { findRequested } from './offline-lookup.ts';
import { LEASE_PREFIX, type OfflineRequest } from './offline-texts.ts';

interface Services {
  store: Pick<Store, 'read'>;
  execute: Executes<typeof activateLicense>;
  leases: Leases;
}

/** How an offline request arrived, and the server that answers it. */
interface Bringer {
  /** Base URL of the server. */
  iss: string;
  source: ActivationSource;
  ipAddress: string | null;
  userAgent: string | null;
  /** Ended activations of the license to keep, as in `activate-license`. */
  keep: number;
}

interface OfflineLease {
  activated: Activated;
  /** `LKLEASE1.…` */
  lease: string;
  expiresAt: Datetime;
}

/**
 * Gives a device without network a seat, unless it has one, and signs a lease. A repeated request gets the same seat and a
 * new lease.
 * @param request returned by `readRequest`, which has verified the signature
 */
export async function leaseOffline(
  { store, execute, leases }: Services,
  request: OfflineRequest,
  { iss, ...bringer }: Bringer,
  actor: Actor,
): Promise<Outcome<OfflineLease>> {
  const { x: deviceKey, n: nonce, fpr: fingerprint, lbl: label, prd: product } = request;
  const found = await findRequested(store.read, request, actor);
  if (!found.ok) return found;
  const given = {
    named: { id: found.value.id },
    token: null,
    software: null,
    meta: null,
    first: 'disabled',
  } as const;
  const device = { deviceKey, fingerprint, label, product, leases: true, isOffline: true };
  const activated = await execute('activate-license', { ...bringer, ...device, ...given }, actor);
  if (!activated.ok) return activated;
  const leasable = await store.read.activations.findLeasable(activated.value.activation.token);
  const lease = leasable && (await leases.lease(leasable, { iss, nonce, fingerprint, isOffline: true }));
  const ends = lease && readCompact(lease, 'lk-lease+jwt', ['kid', 'crt'])?.payload.exp;
  if (!lease || typeof ends !== 'number') return refused('no_lease');
  return done({
    activated: activated.value,
    lease: LEASE_PREFIX + lease,
    expiresAt: toDatetime(ends * 1_000),
  });
}
