import type { Generator } from './queries.ts';

type Form = Pick<Generator, 'prefix' | 'suffix' | 'chunks' | 'chunk_length' | 'separator'>;

/** `XXXX-XXXX`, with prefix and suffix. */
export const patternOf = ({ prefix, suffix, chunks, chunk_length, separator }: Form): string =>
  (prefix ?? '') +
  Array.from({ length: chunks }, () => 'X'.repeat(chunk_length)).join(separator) +
  (suffix ?? '');
