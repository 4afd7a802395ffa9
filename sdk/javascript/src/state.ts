import { isObject } from './compact.ts';
import type { Revocations } from './verify.ts';

/** What the SDK keeps in the storage. Times are seconds since 1970. */
export interface State {
  /** A random text, for programs that give no fingerprint and have no device key. */
  fingerprint?: string;
  /** The fingerprint that the program gave at the last activation or offline request; null if it could not tell it. */
  givenFingerprint?: string | null;
  /** The activation token; missing for a device without a network. */
  token?: string;
  lease?: string;
  /** The highest time seen so far. */
  seen: number;
  /** Seconds by which the server's clock is ahead of this device's. */
  skew: number;
  /** The ids of revoked keys. They are never removed. */
  revokedKeys: string[];
  /** The entries for the lease in the newest revocation list. */
  revocations?: Pick<Revocations, 'seq' | 'exp' | 'lic' | 'act'>;
  /** The refusal that replaced the lease, when the server ended it. */
  refusal?: Refused;
  /** When to ask again, after a request that failed or was refused. */
  retry?: Retry;
  /** The nonces of offline requests that have no answer yet. */
  nonces: string[];
  /** The receipt that frees the seat of this device. Kept until there is a new lease. */
  receipt?: string;
}

export interface Refused {
  state: 'revoked' | 'expired' | 'unlicensed';
  reason: string;
}

export interface Retry {
  at: number;
  failures: number;
  reason: string;
}

export const emptyState = (): State => ({ seen: 0, skew: 0, revokedKeys: [], nonces: [] });

const TYPES: Record<keyof State, (value: unknown) => boolean> = {
  fingerprint: isText,
  givenFingerprint: (value) => value === null || isText(value),
  token: isText,
  lease: isText,
  seen: Number.isSafeInteger,
  skew: Number.isSafeInteger,
  revokedKeys: isTexts,
  revocations: (value) =>
    isObject(value) && isNumber(value.seq) && isNumber(value.exp) && isPairs(value.lic) && isPairs(value.act),
  refusal: (value) => isObject(value) && isState(value.state) && isText(value.reason),
  retry: (value) => isObject(value) && isNumber(value.at) && isNumber(value.failures) && isText(value.reason),
  nonces: isTexts,
  receipt: isText,
};

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
function isPairs(value: unknown): boolean {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.every(isNumber));
}
function isState(value: unknown): boolean {
  return value === 'revoked' || value === 'expired' || value === 'unlicensed';
}

/** Parses the state. Malformed text counts as an empty state. */
export function readState(text: string | null): State {
  try {
    const read: unknown = JSON.parse(text ?? '');
    if (!isObject(read)) return emptyState();
    const state = { ...emptyState(), ...read };
    const isGood = Object.entries(TYPES).every(
      ([name, isOfType]) => !(name in state) || isOfType(state[name as keyof State]),
    );
    return isGood ? state : emptyState();
  } catch {
    return emptyState();
  }
}

/** Removes a license from the state. The fingerprint, the time and the revoked keys stay. */
export function forgetLicense(state: State): void {
  for (const name of ['token', 'lease', 'refusal', 'retry', 'receipt'] as const) delete state[name];
  state.nonces = [];
}
