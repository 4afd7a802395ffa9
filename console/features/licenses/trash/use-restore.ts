import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { restoring } from '../../../app/use-undo-delete.ts';
import { useAction } from '../../../ui/actions/use-action.ts';
import { doneToast, errorToast } from '../../../ui/feedback/toasts.tsx';

/**
 * Returns an action that restores licenses from the trash, and reports how many were restored, are gone, or have a key that
 * is taken.
 */
export function useRestore() {
  const { t } = useTranslation('trash');
  return useAction({
    mutationFn: (ids: readonly number[]) => restoring(ids)(),
    onError: errorToast,
    onSuccess: ({ restored, gone, taken }) => {
      const parts = [
        restored > 0 && t('restored', { count: restored }),
        gone > 0 && t('gone', { count: gone }),
        taken > 0 && t('taken', { count: taken }),
      ];
      doneToast(parts.filter(Boolean).join(' '));
    },
    onSettled: licensesChanged,
  });
}
