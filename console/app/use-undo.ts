import { useTranslation } from 'react-i18next';
import { type Answer, answer, api } from '../client/api.ts';
import { pieces } from '../client/pieces.ts';
import { undoToast } from '../ui/feedback/toasts.tsx';
import { licensesChanged } from './query-client.ts';

export type PreviousValues = Answer<'changeLicenses'>['previous'][number];

/** Says what was done to licenses, with a button that takes it back where nobody has changed them since. */
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
 * What gives licenses back what they had before a change, but for those that were deleted or changed since. Called again
 * after it failed, it goes on with those that it had not come to.
 * @returns how many were changed by somebody since, and stay as they are
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
