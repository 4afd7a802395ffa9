import type { PreviousValues } from '../../app/use-undo.ts';
import { answer, api } from '../../client/api.ts';
import { pieces } from '../../client/pieces.ts';
import { saveBlob } from '../../ui/forms/save.ts';

/** What is done to many licenses at once. */

export type BulkChange = { status: number } | { extend_days: number } | { expires_at: string };

/** Licenses that are selected at once at most, which is as many as one export of a selection has. */
export const SELECTED_MAX = 10_000;
/** Work on many that goes on piece by piece. */
export interface Run {
  onDone: (done: number) => void;
  /** Stops it before the next piece: what is done of many is done of whole pieces. */
  signal: AbortSignal;
}
interface Ran {
  /** Those that it came to: they are done, or there was nothing to do about them. */
  handled: number[];
  /** How many were deleted before. */
  gone: number;
  /** At which it ended, or null. */
  error: unknown;
}

/** Changes some hundred at most: all or none. */
export const changeSome = (ids: number[], change: BulkChange, skip_gone = false) =>
  answer(api.POST('/licenses/bulk', { body: { ids, skip_gone, ...change } }));
export const deleteSome = (ids: number[], skip_gone = false) =>
  answer(api.POST('/licenses/bulk/delete', { body: { ids, skip_gone } }));

/**
 * Changes many, some hundred at a time: of each all or none. Where one of these fails, those before it stay changed, so
 * the error comes beside what was done.
 */
export async function changeLicenses(ids: readonly number[], change: BulkChange, run: Run) {
  const previous: PreviousValues[] = [];
  const unchanged: number[] = [];
  const ran = await inPieces(ids, run, async (some) => {
    const changed = await changeSome(some, change, true);
    previous.push(...changed.previous);
    unchanged.push(...changed.unchanged);
    return changed.gone.length;
  });
  return { previous, unchanged, ...ran };
}

export const deleteLicenses = (ids: readonly number[], run: Run): Promise<Ran> =>
  inPieces(ids, run, async (some) => (await deleteSome(some, true)).gone.length);

/** @param work answers how many were gone */
async function inPieces(
  ids: readonly number[],
  { onDone, signal }: Run,
  work: (some: number[]) => Promise<number>,
): Promise<Ran> {
  const ran: Ran = { handled: [], gone: 0, error: null };
  try {
    for (const some of pieces(ids)) {
      if (signal.aborted) break;
      ran.gone += await work(some);
      ran.handled.push(...some);
      onDone(ran.handled.length);
    }
  } catch (error) {
    ran.error = error;
  }
  return ran;
}

/** Gives the reader a file of some licenses. */
export async function exportLicenses(ids: number[]): Promise<void> {
  const { data, response } = await api.POST('/licenses/export', { body: { ids }, parseAs: 'blob' });
  const [, name = 'licenses.csv'] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  if (data) saveBlob(name, data);
}
