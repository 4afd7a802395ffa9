import type { Generator } from './queries.ts';

type Form = Pick<Generator, 'prefix' | 'suffix' | 'chunks' | 'chunk_length' | 'separator'>;

/** Returns the pattern of a generator's keys, `XXXX-XXXX`, with prefix and suffix. */
export const patternOf = ({ prefix, suffix, chunks, chunk_length, separator }: Form): string =>
  (prefix ?? '') +
  Array.from({ length: chunks }, () => 'X'.repeat(chunk_length)).join(separator) +
  (suffix ?? '');
