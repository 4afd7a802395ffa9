import { useTranslation } from 'react-i18next';
import { type Answer, answer, api } from '../client/api.ts';
import { inCalls } from '../client/pieces.ts';
import { undoToast } from '../ui/feedback/toasts.tsx';
import { licensesChanged } from './query-client.ts';

export type PreviousValues = Answer<'changeLicenses'>['previous'][number];

/** Returns a function that shows a toast for changed licenses, with an undo that skips licenses that were changed again. */
export function useUndo() {
  const { t } = useTranslation('licenses');
  return (message: string, previous: readonly PreviousValues[], forMs?: number): void => {
    const restoring = inCalls(previous, (restore) =>
      answer(api.POST('/licenses/bulk', { body: { restore, skip_gone: true } })),
    );
    const undo = async () => {
      const kept = (await restoring().finally(licensesChanged)).flatMap((one) => one.kept).length;
      return kept > 0 ? t('bulk.kept', { count: kept }) : undefined;
    };
    undoToast(message, undo, forMs);
  };
}
