import { useTranslation } from 'react-i18next';
import { type Answer, answer, api } from '../client/api.ts';
import { pieces } from '../client/pieces.ts';
import { undoToast } from '../ui/feedback/toasts.tsx';
import { licensesChanged } from './query-client.ts';

export type PreviousValues = Answer<'changeLicenses'>['previous'][number];

/** Returns a function that shows a toast for changed licenses, with an undo that skips licenses that were changed again. */
export function useUndo() {
  const { t } = useTranslation('licenses');
  return (message: string, previous: readonly PreviousValues[], forMs?: number): void => {
    const restore = restoring(previous);
    const undo = async () => {
      const kept = await restore().finally(licensesChanged);
      return kept > 0 ? t('bulk.kept', { count: kept }) : undefined;
    };
    undoToast(message, undo, forMs);
  };
}

/**
 * Returns a function that undoes a license change. It skips licenses that were deleted or changed again. A retry after a
 * failure continues with the remaining ones.
 * @returns the function, which resolves to the number of skipped licenses
 */
function restoring(previous: readonly PreviousValues[]): () => Promise<number> {
  const left = [...pieces(previous)];
  let kept = 0;
  return async () => {
    for (let restore = left[0]; restore; restore = left[0]) {
      const body = { restore, skip_gone: true };
      kept += (await answer(api.POST('/licenses/bulk', { body }))).kept.length;
      left.shift();
    }
    return kept;
  };
}
