import type { PreviousValues } from '../../app/use-undo.ts';
import { answer, api } from '../../client/api.ts';
import { pieces } from '../../client/pieces.ts';
import { saveBlob } from '../../ui/forms/save.ts';

export type BulkChange = { status: number } | { extend_days: number } | { expires_at: string };

/** The most licenses that can be selected, and exported as a selection. */
export const SELECTED_MAX = 10_000;
/** A bulk operation that runs in chunks. */
export interface Run {
  onDone: (done: number) => void;
  /** Stops before the next chunk. */
  signal: AbortSignal;
}
export interface Ran {
  /** The licenses that were processed, changed or not. */
  handled: number[];
  /** The number of licenses that were already deleted. */
  gone: number;
  /** The error that ended the run; null if there was none. */
  error: unknown;
}

/** Changes one chunk: all or none. */
export const changeSome = (ids: number[], change: BulkChange, skip_gone = false) =>
  answer(api.POST('/licenses/bulk', { body: { ids, skip_gone, ...change } }));
export const deleteSome = (ids: number[], skip_gone = false) =>
  answer(api.POST('/licenses/bulk/delete', { body: { ids, skip_gone } }));

/**
 * Changes many licenses in chunks, each all or none. If a chunk fails, earlier chunks stay changed, so the result has both
 * the error and the changes.
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

/** Deletes many licenses in chunks. The result's `deleted` lists those that existed until then. */
export async function deleteLicenses(ids: readonly number[], run: Run) {
  const deleted: number[] = [];
  const ran = await inPieces(ids, run, async (some) => {
    const { gone } = await deleteSome(some, true);
    deleted.push(...some.filter((id) => !gone.includes(id)));
    return gone.length;
  });
  return { deleted, ...ran };
}

/** Runs work in chunks. @param work processes one chunk, and returns how many of its licenses were already deleted */
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

/** Downloads some licenses as a file. */
export async function exportLicenses(ids: number[]): Promise<void> {
  const { data, response } = await api.POST('/licenses/export', { body: { ids }, parseAs: 'blob' });
  const [, name = 'licenses.csv'] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  if (data) saveBlob(name, data);
}
