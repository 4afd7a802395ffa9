import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { ArchiveRestore, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { useSession } from '../../../app/session.ts';
import { useConfirm } from '../../../ui/feedback/confirm.tsx';
import { doneToast, errorToast } from '../../../ui/feedback/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
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
      <Tooltip label={t('restore')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('restoreOf', { name })}
          disabled={isBusy}
          onClick={() => restore.mutate([license.id])}
        >
          <ArchiveRestore size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('remove')}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t('removeOf', { name })}
          disabled={isBusy}
          onClick={() => void remove()}
        >
          <Trash2 size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
