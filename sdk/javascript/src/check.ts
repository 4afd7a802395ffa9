import type { State } from './state.ts';
import { type Expected, type Lease, type Verified, verifyLease } from './verify.ts';

/** The result of a check: whether the program may run. */
export interface Check {
  /**
   * `licensed`: run. `grace`: run, and warn. `expired`: the lease or the license has ended. `revoked`: the vendor or
   * another device has taken the license away. `clock`: the clock was set back. `unlicensed`: there is no valid lease.
   */
  state: 'licensed' | 'grace' | 'expired' | 'revoked' | 'clock' | 'unlicensed';
  /** A code that says why; null if licensed. */
  reason: string | null;
  /** When the state ends, if it is `licensed` or `grace`; otherwise null. */
  until: Date | null;
  /** The enabled features; empty unless the state is `licensed` or `grace`. */
  entitlements: readonly string[];
}

/** The properties of this device and program that a stored lease must match. */
export interface Device extends Pick<Expected, 'roots' | 'fingerprint' | 'deviceKey' | 'product'> {
  acceptLicenseFiles: boolean;
  /** Seconds since 1970. */
  builtAt: number;
}

const DAY = 86_400;

export const refused = (state: Check['state'], reason: string): Check => ({
  state,
  reason,
  until: null,
  entitlements: [],
});

/** Whether a program may run. */
export const isUsable = ({ state }: Check): boolean => state === 'licensed' || state === 'grace';

/** Verifies a lease for this device. If the program accepts license files, also verifies a license file for any device. */
export async function verifyFor(
  device: Device,
  state: State,
  text: string,
  now: number,
  nonce?: string,
): Promise<Verified> {
  const { acceptLicenseFiles, builtAt: _, ...own } = device;
  const { revokedKeys, revocations } = state;
  const expected = { ...own, revokedKeys, revocations, now, nonce };
  if (acceptLicenseFiles && nonce === undefined) {
    const file = await verifyLease(text, { ...expected, fingerprint: undefined, deviceKey: undefined });
    if (file.ok ? isFile(file.lease) : file.code !== 'other_device') return file;
  }
  return verifyLease(text, expected);
}

/** Whether the lease is a license file for any device. */
const isFile = ({ sub, cnf }: Lease): boolean => sub === undefined && cnf === undefined;

/**
 * Returns the current time in seconds; null if the clock was set back. The clock may have been corrected since the server
 * told the time, so it may be right with or without `skew`: the lower time that does not contradict `mark` counts.
 * @param skew seconds by which the server's clock was ahead when it last told the time
 * @param mark the highest time seen so far
 */
function presentTime(clock: number, skew: number, mark: number): number | null {
  const possible = [clock, clock + skew].filter((time) => time >= mark - DAY);
  return possible.length > 0 ? Math.max(mark, Math.min(...possible)) : null;
}

export interface Assessed {
  check: Check;
  /** The stored lease, if it is valid, whether or not it has ended; otherwise null. */
  lease: Lease | null;
  /** Seconds since 1970; null if the clock was set back. */
  time: number | null;
}

/** Says what the program may do, from the stored state alone. @param clock the time by the device's clock, in seconds */
export async function assess(device: Device, state: State, clock: number): Promise<Assessed> {
  const mark = Math.max(state.seen, device.builtAt);
  const time = presentTime(clock, state.skew, mark);
  const refuse = (...why: Parameters<typeof refused>) => ({ check: refused(...why), lease: null, time });
  if (state.refusal) return refuse(state.refusal.state, state.refusal.reason);
  if (state.lease === undefined) return refuse('unlicensed', 'not_activated');
  const verified = await verifyFor(device, state, state.lease, time ?? mark);
  if (!verified.ok) {
    const { code } = verified;
    if (code === 'clock') return refuse('clock', 'clock_set_back');
    return refuse(code === 'revoked' ? code : 'unlicensed', code);
  }
  const { lease } = verified;
  if (time === null) return { check: refused('clock', 'clock_set_back'), lease, time };
  // Only a device with a token renews its lease over the network: others fetch revocation lists.
  const why = state.token === undefined ? undefined : state.retry?.reason;
  if (verified.state === 'expired') {
    const reason =
      lease.lxp !== undefined && lease.lxp <= time ? 'license_expired' : (why ?? 'lease_expired');
    return { check: refused('expired', reason), lease, time };
  }
  const isLicensed = verified.state === 'licensed';
  const check: Check = {
    state: verified.state,
    reason: isLicensed ? null : (why ?? 'lease_expired'),
    until: new Date((isLicensed ? lease.exp : lease.grc) * 1_000),
    entitlements: lease.ent,
  };
  return { check, lease, time };
}
