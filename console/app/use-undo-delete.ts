import { useTranslation } from 'react-i18next';
import { answer, api } from '../client/api.ts';
import { inCalls } from '../client/pieces.ts';
import { undoToast } from '../ui/feedback/toasts.tsx';
import { licensesChanged } from './query-client.ts';

/** Returns a function that shows a toast for deleted licenses, with an undo that restores them from the trash. */
export function useUndoDelete() {
  const { t } = useTranslation('trash');
  return (message: string, ids: readonly number[], forMs?: number): void => {
    const restore = restoring(ids);
    const undo = async () => {
      const { gone, taken } = await restore().finally(licensesChanged);
      const rest = [gone > 0 && t('gone', { count: gone }), taken > 0 && t('taken', { count: taken })].filter(
        Boolean,
      );
      return rest.length > 0 ? rest.join(' ') : undefined;
    };
    undoToast(message, undo, forMs);
  };
}

/** Returns a function that restores deleted licenses. A retry after a failure continues with the remaining ones. */
export function restoring(ids: readonly number[]) {
  const restore = inCalls(ids, (some) => answer(api.POST('/trash/restore', { body: { ids: some } })));
  return async () => {
    const answers = await restore();
    return {
      restored: answers.flatMap(({ restored }) => restored).length,
      gone: answers.flatMap(({ gone }) => gone).length,
      /** The number of licenses still in the trash, because another license now has the same key. */
      taken: answers.flatMap(({ taken }) => taken).length,
    };
  };
}
