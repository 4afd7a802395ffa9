import { Button, Group } from '@mantine/core';
import { Eye, EyeOff, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { CopyButton } from '../../../ui/actions/CopyButton.tsx';
import { IconAction } from '../../../ui/actions/IconAction.tsx';
import { LicenseStatus } from '../../../ui/licenses/LicenseStatus.tsx';
import { BackLink } from '../../../ui/links.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useBackToList } from '../../../ui/table/list-place.ts';
import { roleNote } from '../license-words.ts';
import type { License } from '../queries.ts';
import { LicenseMenu } from './LicenseMenu.tsx';
import { QuickChanges } from './QuickChanges.tsx';
import { useShownKey } from './use-shown-key.ts';

interface Props {
  id: number;
  /** Undefined while the license loads. */
  license: License | undefined;
  onEdit: () => void;
}

/** Shows the key as the title, the status, and the actions on a license. */
export function LicenseHeader({ id, license, onEdit }: Props) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const back = useBackToList('/licenses');
  const key = useShownKey(license);
  return (
    <PageHeader
      title={key?.text ?? t('license', { id })}
      isCode={key !== null}
      documentTitle={t('license', { id })}
      before={
        <BackLink to="/licenses" {...back}>
          {t('back')}
        </BackLink>
      }
      badge={
        license &&
        key && (
          <Group gap="xs">
            <KeyButtons shown={key} />
            <LicenseStatus license={license} />
            {license.is_expired && <StatusBadge tone="warning">{t('expired')}</StatusBadge>}
          </Group>
        )
      }
      roleNote={roleNote(can, t)}
      actions={
        license && (
          <>
            {can('licenses.write') && <QuickChanges license={license} />}
            {can('licenses.write') && (
              <Button variant="default" leftSection={<Pencil size={16} />} onClick={onEdit}>
                {t('edit')}
              </Button>
            )}
            {(can('licenses.write') || can('licenses.delete')) && <LicenseMenu license={license} />}
          </>
        )
      }
    />
  );
}

/** Buttons to copy the key and, if the key is masked, to show or hide it. */
function KeyButtons({ shown }: { shown: NonNullable<ReturnType<typeof useShownKey>> }): ReactNode {
  const { t } = useTranslation();
  const { text, isWhole, isRevealed, isRevealing, toggle } = shown;
  return (
    <Group gap={4} wrap="nowrap">
      {isWhole && <CopyButton value={text} label={t('key.copy')} />}
      {toggle && (
        <IconAction
          tip={isRevealed ? t('key.hide') : t('key.reveal')}
          icon={isRevealed ? EyeOff : Eye}
          loading={isRevealing}
          onClick={toggle}
        />
      )}
    </Group>
  );
}
