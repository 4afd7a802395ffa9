import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, FileKey, WifiOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { saveText } from '../../ui/forms/save.ts';
import { makeLicenseFile } from './queries.ts';

/** What else may be done with a license. */
export function LicenseMenu({ id }: { id: number }) {
  const { t } = useTranslation('licenses');
  const navigate = useNavigate();
  const confirm = useConfirm();
  const icon = { size: 16, 'aria-hidden': true };
  const save = async () => {
    const question = { title: t('file.title'), body: t('file.body'), action: t('file.action') };
    if (!(await confirm(question))) return;
    try {
      const { name, text } = await makeLicenseFile(id);
      saveText(name, text);
      await licensesChanged();
    } catch (error) {
      errorToast(error);
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t('more')}>
          <Ellipsis {...icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<WifiOff {...icon} />} onClick={() => void navigate({ to: '/offline' })}>
          {t('activateOffline')}
        </Menu.Item>
        <Menu.Item leftSection={<FileKey {...icon} />} onClick={() => void save()}>
          {t('file.save')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
