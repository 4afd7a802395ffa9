import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees memory that nothing uses any more: all of it, or that of young objects, which takes less time. */
export const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
