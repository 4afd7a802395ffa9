import { isObject } from './compact.ts';
import type { Revocations } from './verify.ts';

/** What the SDK keeps in the storage. Times are seconds since 1970. */
export interface State {
  /** Made here, if the program gives none and has no device key. */
  fingerprint?: string;
  /** Of the activation; missing for a device without network. */
  token?: string;
  lease?: string;
  /** The highest time that was seen. */
  seen: number;
  /** Seconds by which the server's clock is ahead of this device's. */
  skew: number;
  /** Ids of revoked keys, for ever. */
  revokedKeys: string[];
  /** The entries of the newest revocation list that are for the lease. */
  revocations?: Pick<Revocations, 'seq' | 'exp' | 'lic' | 'act'>;
  /** What the server has refused, instead of a lease. */
  refusal?: Refused;
  /** After requests that have failed, or were refused: when to ask again. */
  retry?: Retry;
  /** Of requests of this device without network that have no answer yet. */
  nonces: string[];
  /** That the seat of this device is free, until there is a new lease. */
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

/** Reads the state. Text of another form is as none. */
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

/** Leaves what a device keeps without a license: the fingerprint, the time, and the revoked keys. */
export function forgetLicense(state: State): void {
  for (const name of ['token', 'lease', 'refusal', 'retry', 'receipt'] as const) delete state[name];
  state.nonces = [];
}
