/** The license of a program: activate it once, check it at every start, with or without a network. */
export type { Check } from './check.ts';
export { Latchkey } from './client.ts';
export type { DeviceKey } from './device-key.ts';
export { deviceKeyIn } from './device-key.ts';
export { LatchkeyError } from './errors.ts';
export { indexedDbDeviceKey, indexedDbStorage } from './indexed-db.ts';
export type { ActivateOptions, CallOptions, Options, Update, UpdateCheckOptions } from './options.ts';
export { memoryStorage, type Storage } from './storage.ts';
export {
  type Expected,
  type Lease,
  type Refusal,
  type Revocations,
  type Trust,
  type Verified,
  type VerifiedRevocations,
  verifyLease,
  verifyRevocations,
} from './verify.ts';
