import type { State } from './state.ts';
import { type Expected, type Lease, type Verified, verifyLease } from './verify.ts';

/** What a program may do now. */
export interface Check {
  /**
   * `licensed`: run. `grace`: run, and warn. `expired`: the lease or the license has ended. `revoked`: the vendor or
   * another device has taken the license away. `clock`: the clock was set back. `unlicensed`: there is no good lease.
   */
  state: 'licensed' | 'grace' | 'expired' | 'revoked' | 'clock' | 'unlicensed';
  /** A code that says why; null if licensed. */
  reason: string | null;
  /** Until when the state lasts, if licensed or in grace; else null. */
  until: Date | null;
  /** Names of features; empty unless licensed or in grace. */
  entitlements: readonly string[];
}

/** What the stored lease must fit. */
export interface Device extends Pick<Expected, 'roots' | 'fingerprint' | 'deviceKey' | 'product'> {
  acceptLicenseFiles: boolean;
  /** Seconds since 1970. */
  builtAt: number;
}

const DAY = 86_400;

export const refused = (state: Check['state'], reason: string): Check => ({
  ...{ state, reason },
  ...{ until: null, entitlements: [] },
});

/** Whether a program may run. */
export const isUsable = ({ state }: Check): boolean => state === 'licensed' || state === 'grace';

/** Verifies a lease for this device; one for any device, if the program takes license files. */
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

/** Whether a lease is for any device. */
const isFile = ({ sub, cnf }: Lease): boolean => sub === undefined && cnf === undefined;

/**
 * The present time in seconds; null if the clock was set back. After the server has told the time, the clock may be wrong by
 * the skew, or have been corrected since: the lower of the two times that are possible is the right one.
 * @param mark the highest time that was seen
 */
export function presentTime(clock: number, skew: number, mark: number): number | null {
  const possible = [clock, clock + skew].filter((time) => time >= mark - DAY);
  return possible.length > 0 ? Math.max(mark, Math.min(...possible)) : null;
}

export interface Assessed {
  check: Check;
  /** The stored lease, if it is good, whether or not it has ended. */
  lease: Lease | null;
  /** Seconds since 1970; null if the clock was set back. */
  time: number | null;
}

/** Says from the stored state alone what a program may do. @param clock of the device, in seconds */
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
  const why = state.retry?.reason;
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
