import { Group } from '@mantine/core';
import { ArchiveRestore, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { useSession } from '../../../app/session.ts';
import { IconAction } from '../../../ui/actions/IconAction.tsx';
import { useAction } from '../../../ui/actions/use-action.ts';
import { useConfirm } from '../../../ui/feedback/confirm.tsx';
import { doneToast, errorToast } from '../../../ui/feedback/toasts.tsx';
import { keyText } from '../license-words.ts';
import { removeForGood, type Trashed } from './trash-queries.ts';
import { useRestore } from './use-restore.ts';

/** Restores a deleted license, or removes it for good. */
export function TrashActions({ license }: { license: Trashed }) {
  const { t } = useTranslation('trash');
  const { can } = useSession();
  const confirm = useConfirm();
  const restore = useRestore();
  const removal = useAction({
    mutationFn: () => removeForGood(license.id),
    onSuccess: () => doneToast(t('removed')),
    onError: errorToast,
    onSettled: licensesChanged,
  });
  if (!can('licenses.delete')) return null;
  const name = keyText(license);
  const remove = async () => {
    const question = { title: t('removeTitle', { name }), body: t('removeBody'), action: t('remove') };
    if (await confirm({ ...question, isDangerous: true })) removal.mutate();
  };
  const isBusy = restore.isPending || removal.isPending;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <IconAction
        tip={t('restore')}
        label={t('restoreOf', { name })}
        icon={ArchiveRestore}
        disabled={isBusy}
        onClick={() => restore.mutate([license.id])}
      />
      <IconAction
        tip={t('remove')}
        label={t('removeOf', { name })}
        icon={Trash2}
        color="red"
        disabled={isBusy}
        onClick={() => void remove()}
      />
    </Group>
  );
}
