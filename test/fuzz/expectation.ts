import assert from 'node:assert/strict';
import type { Answer, Record_ } from '../support/http/api.ts';
import { Refused } from './model.ts';

/** An id that no record has. */
export const NO_ID = 9_007_199_254_740_991;
/** Returns the record at an index modulo the length; undefined if the list is empty. */
export const at = <T>(list: readonly T[], index: number): T | undefined =>
  list[index % Math.max(1, list.length)];

/**
 * Compares an answer with the model: a refusal by status and code, a success by `check`, which also stores
 * the new ids and tokens. Returns the outcome in words.
 */
export async function expect<T>(
  say: () => T,
  answer: Answer,
  check: (said: T, data: Record_) => void,
): Promise<string> {
  let said: T;
  try {
    said = say();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    assert.deepEqual(
      [answer.status, answer.body.code],
      [error.status, error.code],
      JSON.stringify(answer.body),
    );
    return `refused with ${error.status}`;
  }
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  check(said, answer.body.data);
  return 'accepted';
}

/** Returns the record that a path names. @throws Refused (404) if there is none */
export function found<T>(record: T | undefined): T {
  if (record === undefined) throw new Refused(404);
  return record;
}
