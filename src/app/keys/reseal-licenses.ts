import type { Resealed } from '../../store/store.ts';
import type { Command } from '../command.ts';

/** Rows that are looked at by one command, and sealed anew where they are due; some 15 ms of work. */
export const RESEALED_AT_ONCE = 500;

/** Seals the keys of some licenses anew that do not rest under a key. Nothing else of them changes. */
export const resealLicenses: Command<{ keyId: string; after: number }, Resealed<number>> = (
  { licenses },
  { keyId, after },
) => licenses.reseal(keyId, after, RESEALED_AT_ONCE);
