import { Menu } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { FileKey, Trash2, WifiOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { useSession } from '../../../app/session.ts';
import { useUndoDelete } from '../../../app/use-undo-delete.ts';
import { ActionsMenu } from '../../../ui/actions/ActionsMenu.tsx';
import { useAction } from '../../../ui/actions/use-action.ts';
import { useConfirm } from '../../../ui/feedback/confirm.tsx';
import { errorToast } from '../../../ui/feedback/toasts.tsx';
import { saveText } from '../../../ui/forms/save.ts';
import { deleteSome } from '../bulk.ts';
import { keyText } from '../license-words.ts';
import { type License, makeLicenseFile } from '../queries.ts';

/** A menu with the less frequent actions on a license. */
export function LicenseMenu({ license }: { license: License }) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const navigate = useNavigate();
  const router = useRouter();
  const confirm = useConfirm();
  const offerUndo = useUndoDelete();
  const { id } = license;
  const file = useAction({
    mutationFn: makeLicenseFile,
    onSuccess: ({ name, text }) => {
      saveText(name, text);
      return licensesChanged();
    },
    onError: errorToast,
  });
  const removal = useAction({
    mutationFn: () => deleteSome([id]),
    onMutate: () => router.latestLocation.pathname,
    onSuccess: async (_, __, pathname) => {
      offerUndo(t('deleted'), [id]);
      // The user may have opened another page meanwhile.
      if (router.latestLocation.pathname === pathname) await navigate({ to: '/licenses' });
      await licensesChanged();
    },
    onError: errorToast,
  });
  const save = async () => {
    const question = { title: t('file.title'), body: t('file.body'), action: t('file.action') };
    if (await confirm(question)) file.mutate(id);
  };
  const remove = async () => {
    const isSure = await confirm({
      title: t('deleteTitle', { key: keyText(license) }),
      body: t('bulk.deleteBody', { count: 1 }),
      action: t('deleteAction'),
      isDangerous: true,
    });
    if (isSure) removal.mutate();
  };
  return (
    <ActionsMenu label={t('more')} isBusy={removal.isPending}>
      {can('licenses.write') && (
        <>
          <Menu.Item leftSection={<WifiOff size={16} />} onClick={() => void navigate({ to: '/offline' })}>
            {t('activateOffline')}
          </Menu.Item>
          <Menu.Item leftSection={<FileKey size={16} />} onClick={() => void save()}>
            {t('file.save')}
          </Menu.Item>
        </>
      )}
      {can('licenses.delete') && (
        <Menu.Item color="red.8" leftSection={<Trash2 size={16} />} onClick={() => void remove()}>
          {t('deleteAction')}
        </Menu.Item>
      )}
    </ActionsMenu>
  );
}
