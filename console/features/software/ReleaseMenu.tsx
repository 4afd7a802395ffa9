import { Menu } from '@mantine/core';
import { Download, FileUp, Pencil, Rocket, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { API_ROOT } from '../../client/base.ts';
import { ActionsMenu } from '../../ui/actions/ActionsMenu.tsx';
import { errorToast, undoToast } from '../../ui/feedback/toasts.tsx';
import { useDeletion } from '../../ui/feedback/use-deletion.ts';
import { saveAddress } from '../../ui/forms/save.ts';
import { publishedText } from './published-text.ts';
import { type Release, useChangeRelease, useDeleteRelease } from './queries.ts';

/** The actions that open a dialog. */
export type ReleaseDialog = 'edit' | 'replace' | 'yank';

interface Props {
  release: Release;
  onOpen: (dialog: ReleaseDialog) => void;
}

/** The actions of a release that the role allows. */
export function ReleaseMenu({ release, onOpen }: Props) {
  const { t } = useTranslation('software');
  const { can } = useSession();
  const ask = useDeletion();
  const change = useChangeRelease();
  const remove = useDeleteRelease();
  const { version, status, yank_reason, file } = release;

  const publish = async () => {
    const before = { status, ...(yank_reason !== null && { yank_reason }) };
    try {
      const published = await change.mutateAsync({ release, changes: { status: 'published' } });
      const undo = () => change.mutateAsync({ release: published, changes: before });
      undoToast(await publishedText(t, published), undo);
    } catch (error) {
      errorToast(error);
    }
  };
  const onDelete = () =>
    ask({
      title: t('deleteTitle', { name: version }),
      body: t('deleteRelease.body'),
      action: t('deleteRelease.confirm'),
      run: () => remove.mutateAsync(release),
      done: t('deleted', { name: version }),
    });
  const fileAddress = `${API_ROOT}/software/${release.software_id}/releases/${release.id}/file`;

  return (
    <ActionsMenu isInRow label={t('moreRelease', { version })}>
      {can('software.write') && (
        <>
          <Menu.Item leftSection={<Pencil size={16} />} onClick={() => onOpen('edit')}>
            {t('edit')}
          </Menu.Item>
          {status !== 'published' && file && (
            <Menu.Item leftSection={<Rocket size={16} />} onClick={() => void publish()}>
              {t(status === 'yanked' ? 'publish.again' : 'publish.action')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<FileUp size={16} />} onClick={() => onOpen('replace')}>
            {t(file ? 'replace.action' : 'replace.add')}
          </Menu.Item>
          {file && (
            <Menu.Item
              leftSection={<Download size={16} />}
              onClick={() => saveAddress(fileAddress, file.name)}
            >
              {t('download')}
            </Menu.Item>
          )}
        </>
      )}
      {can('software.delete') && (
        <Menu.Item color="red.8" leftSection={<Trash2 size={16} />} onClick={() => void onDelete()}>
          {t('deleteRelease.confirm')}
        </Menu.Item>
      )}
    </ActionsMenu>
  );
}
