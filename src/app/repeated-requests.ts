import { addDays, type Datetime } from '../domain/datetime.ts';
import { done, type Outcome, refused } from '../domain/refusal.ts';
import type { RepeatableRequest, RepeatableWrites } from '../store/store.ts';

/** Days for which the idempotency key of a request is kept. */
export const KEY_DAYS = 1;

interface Handling<Value, Note> {
  /** Returns the result of the earlier request; null to run the request again. */
  recall(note: Note): Promise<Value | null>;
  run(): Promise<Outcome<Value>>;
  /** Returns what to keep of the result. */
  note(value: Value): Note;
}

/**
 * Runs a request. If an earlier request of the owner had the same idempotency key, returns the earlier result instead. A
 * refused request frees its key: the refusal changed nothing, and the user may have corrected the cause, for example by
 * freeing a seat.
 */
export async function unlessRepeated<Value, Note>(
  writes: RepeatableWrites<Note>,
  ownerId: number,
  request: RepeatableRequest,
  now: Datetime,
  { recall, run, note }: Handling<Value, Note>,
): Promise<Outcome<Value>> {
  const earlier = await writes.begin(ownerId, request, addDays(now, -KEY_DAYS) as Datetime, now);
  if (earlier && !earlier.isSame) return refused('idempotency_key_reused');
  const recalled = earlier && (await recall(earlier.result));
  if (recalled) return done(recalled);
  const result = await run();
  if (result.ok) await writes.end(ownerId, request.key, note(result.value));
  return result;
}
