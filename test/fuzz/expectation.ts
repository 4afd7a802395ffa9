import assert from 'node:assert/strict';
import type { Answer, Record_ } from '../support/http/api.ts';
import { Refused } from './model.ts';

/** An id that no record has. */
export const NO_ID = 9_007_199_254_740_991;
/** The records are few, so that any number names one, but for where there is none. */
export const at = <T>(list: readonly T[], index: number): T | undefined =>
  list[index % Math.max(1, list.length)];

/** What the model says, once it is known what the service has given: ids and tokens. */
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

/** What a path names that may be of nothing. */
export function found<T>(record: T | undefined): T {
  if (record === undefined) throw new Refused(404);
  return record;
}
