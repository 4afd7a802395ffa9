import { type Device, isUsable, verifyFor } from './check.ts';
import { type Context, type Found, randomText } from './context.ts';
import { mayRetry, refusalOf, retryDelay } from './refusals.ts';
import { entriesFor } from './revocations.ts';
import type { Answer } from './server.ts';
import { emptyState, type State } from './state.ts';
import type { Lease } from './verify.ts';

// Fetches leases and revocation lists.

const HOUR = 3_600;
/** The time to verify a fresh lease at: the lease itself tells the time, so the device's clock must not matter. */
const ANY_TIME = Number.MAX_SAFE_INTEGER;
/** Why an honest answer may have no lease for this device: no time is left, or its license or device key was replaced. */
const HONEST_CODES = ['no_lease', 'other_device', 'other_product'];

/**
 * Whether a check has to wait for the server: only if the device is activated and has no lease that lets the program run,
 * or a lease in grace that nothing has tried to renew, as in programs that always end before a renewal in the background.
 */
export const mustWait = ({ state, check }: Found): boolean =>
  state?.token !== undefined && (!isUsable(check) || (check.state === 'grace' && state.retry === undefined));

/** Whether to ask the server now. @param isFirst whether the server has not been asked since the program started */
export function isDue(found: Found, clock: number, isFirst: boolean): boolean {
  const { state, lease, time } = found;
  if (!state || (state.token === undefined && state.lease === undefined)) return false;
  if (isFirst && mustWait(found)) return true;
  if (state.retry && !mayRetry(state.retry.at, clock)) return false;
  // A device without an activation token gets revocation lists only.
  const due = state.token === undefined ? (state.revocations?.exp ?? 0) : (lease?.ref ?? 0);
  const now = clock + state.skew;
  // A time before the lease was issued: the clock was ahead then, and was corrected since.
  const isSetBack = state.token !== undefined && now < (lease?.iat ?? 0);
  // By the later time: if the clock is behind, the server ends a floating seat before the lease ends by that clock.
  return mustWait(found) || isSetBack || Math.max(time ?? clock, now) >= due;
}

/** Fetches a lease for an activated device, or a revocation list for a device without a token. Never rejects. */
export async function renew(context: Context, { state }: Found): Promise<void> {
  // Ignore storage errors here: `check` reports them.
  const ignore = () => undefined;
  if (state?.token !== undefined) await validate(context, state.token).catch(ignore);
  else if (state?.lease !== undefined) await fetchRevocations(context, state, state.lease).catch(ignore);
}

async function validate(context: Context, token: string): Promise<void> {
  const { store } = context;
  const device = await context.device(await store.load());
  const nonce = randomText();
  const answer = await context.ask('validate', { token, body: { fingerprint: device.fingerprint, nonce } });
  const fresh = answer.ok ? await freshLease(context, device, answer.body.lease, nonce) : null;
  await store.update((state) => {
    // The device was deactivated or activated again in the meantime.
    if (state.token !== token) return;
    if (fresh?.ok) return keepFresh(context, state, fresh);
    const refusal = answer.ok ? null : refusalOf(answer);
    if (refusal) {
      state.refusal = refusal;
      delete state.lease;
    }
    const why = fresh && HONEST_CODES.includes(fresh.code) ? fresh.code : 'untrusted_answer';
    postpone(context, state, answer.ok ? why : answer.reason, answer);
  });
}

async function fetchRevocations(context: Context, state: State, lease: string): Promise<void> {
  const { roots } = await context.device(state);
  const answer = await context.ask('revocations');
  const { revokedKeys, revocations } = state;
  const fetched = await entriesFor(answer, { roots, revokedKeys, seq: revocations?.seq }, lease);
  await context.store.update((kept) => {
    if (!fetched.ok) return postpone(context, kept, fetched.reason, answer);
    kept.revocations = fetched.entries;
    kept.revokedKeys = union(kept.revokedKeys, fetched.revokedKeys);
    // Wait for an hour, even if the new list has already ended.
    kept.retry = { at: context.clock() + HOUR, failures: 0, reason: 'lease_expired' };
  });
}

/** Notes that a request has failed, and when to ask again. */
function postpone(context: Context, state: State, reason: string, answer: Answer): void {
  const failures = state.retry?.failures ?? 0;
  const delay = retryDelay(failures, answer.ok ? null : answer.retryAfter, context.random());
  state.retry = { at: context.clock() + delay, failures: failures + 1, reason };
}

/** A lease that was verified, with its text. */
export interface Kept {
  text: string;
  lease: Lease;
  revokedKeys: readonly string[];
}

/** Verifies the lease in an answer to a request with a nonce. */
export async function freshLease(
  { store }: Context,
  device: Device,
  text: unknown,
  nonce: string,
): Promise<({ ok: true } & Kept) | { ok: false; code: string }> {
  // The server sends no lease if there is no time left for one.
  if (text === null) return { ok: false, code: 'no_lease' };
  if (typeof text !== 'string') return { ok: false, code: 'malformed' };
  const state = await store.load().catch(emptyState);
  const verified = await verifyFor(device, state, text, ANY_TIME, nonce);
  return verified.ok ? { ...verified, text } : verified;
}

/** Stores a lease that answers a request sent just now. The lease is signed, so its time of issue is the current time. */
export function keepFresh({ clock }: Context, state: State, kept: Kept): void {
  keepLease(state, kept);
  state.skew = kept.lease.iat - clock();
  state.seen = kept.lease.iat;
}

export function keepLease(state: State, { text, lease, revokedKeys }: Kept): void {
  state.lease = text;
  state.seen = Math.max(state.seen, lease.iat);
  state.revokedKeys = union(state.revokedKeys, revokedKeys);
  for (const name of ['refusal', 'retry', 'receipt'] as const) delete state[name];
  // The stored entries belong to the previous lease, so let them expire. Keep `seq`, so that no older list is accepted.
  if (state.revocations) state.revocations.exp = 0;
}

const union = (some: readonly string[], others: readonly string[]): string[] => [
  ...new Set([...some, ...others]),
];
