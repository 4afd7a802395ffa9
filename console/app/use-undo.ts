import { useTranslation } from 'react-i18next';
import { type Answer, answer, api } from '../client/api.ts';
import { pieces } from '../client/pieces.ts';
import { undoToast } from '../ui/feedback/toasts.tsx';
import { licensesChanged } from './query-client.ts';

export type PreviousValues = Answer<'changeLicenses'>['previous'][number];

/** Shows a toast for a change of licenses, with an undo that skips licenses changed since. */
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
 * An undo of a license change. It skips licenses deleted or changed since. A retry after a failure continues with the rest.
 * @returns the number of licenses that were changed since and kept
 */
function restoring(previous: readonly PreviousValues[]): () => Promise<number> {
  const left = [...pieces(previous)];
  let kept = 0;
  return async () => {
    for (let restore = left[0]; restore; restore = left[0]) {
      const body = { restore, skip_gone: true } as never;
      kept += (await answer(api.POST('/licenses/bulk', { body }))).kept.length;
      left.shift();
    }
    return kept;
  };
}
