import { Button, Card, Skeleton, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { useSession } from '../../app/session.ts';
import { NotFound } from '../../app/shell/NotFound.tsx';
import { useUndoDelete } from '../../app/use-undo-delete.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { LicenseStatus } from '../../ui/licenses/LicenseStatus.tsx';
import { BackLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { LicenseActivations } from './activations/LicenseActivations.tsx';
import { deleteSome } from './bulk.ts';
import { FactsSkeleton, LicenseFacts } from './LicenseFacts.tsx';
import { LicenseForm } from './LicenseForm.tsx';
import { LicenseHistory } from './LicenseHistory.tsx';
import { LicenseMenu } from './LicenseMenu.tsx';
import { roleNote } from './license-words.ts';
import { LicenseNotes } from './notes/LicenseNotes.tsx';
import { QuickChanges } from './QuickChanges.tsx';
import { licenseQuery } from './queries.ts';

/** Pixels of the quick changes with labels. */
const CHANGES_HEIGHT = 61;

const route = getRouteApi('/shell/licenses/$id');

export function LicensePage() {
  const id = Number(route.useParams().id);
  return Number.isSafeInteger(id) && id > 0 ? <Detail key={id} id={id} /> : <NotFound />;
}

function Detail({ id }: { id: number }) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const confirm = useConfirm();
  const offerUndo = useUndoDelete();
  const { data: license, error, refetch } = useQuery(licenseQuery(id));
  const [isEditing, setEditing] = useState(false);

  const remove = async () => {
    const isSure = await confirm({
      title: t('deleteTitle'),
      body: t('bulk.deleteBody'),
      action: t('deleteAction'),
      isDangerous: true,
    });
    if (!isSure) return;
    try {
      await deleteSome([id]);
      offerUndo(t('deleted'), [id]);
      await navigate({ to: '/licenses' });
      await licensesChanged();
    } catch (error) {
      errorToast(error);
    }
  };
  return (
    <>
      <PageHeader
        title={t('license', { id })}
        before={<BackLink to="/licenses">{t('back')}</BackLink>}
        badge={license && <LicenseStatus license={license} />}
        roleNote={roleNote(can, t)}
        actions={
          license && (
            <>
              {can('licenses.write') && (
                <Button
                  variant="default"
                  leftSection={<Pencil size={16} aria-hidden />}
                  onClick={() => setEditing(true)}
                >
                  {t('edit')}
                </Button>
              )}
              {can('licenses.write') && <LicenseMenu id={id} />}
              {can('licenses.delete') && (
                <Button
                  variant="light"
                  color="red"
                  leftSection={<Trash2 size={16} aria-hidden />}
                  onClick={() => void remove()}
                >
                  {t('delete')}
                </Button>
              )}
            </>
          )
        }
      />
      {error && !license ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="lg">
          <Card withBorder padding="lg">
            <Stack gap="md">
              {license ? <LicenseFacts license={license} /> : <FactsSkeleton />}
              {can('licenses.write') &&
                (license ? <QuickChanges license={license} /> : <Skeleton height={CHANGES_HEIGHT} />)}
            </Stack>
          </Card>
          <LicenseNotes licenseId={id} />
          <Tabs
            value={tab ?? 'activations'}
            onChange={(chosen) =>
              void navigate({ search: chosen === 'history' ? { tab: 'history' } : {}, replace: true })
            }
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="activations">{t('tab.activations')}</Tabs.Tab>
              <Tabs.Tab value="history">{t('tab.history')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="activations">
              <LicenseActivations licenseId={id} />
            </Tabs.Panel>
            <Tabs.Panel value="history">
              <LicenseHistory licenseId={id} />
            </Tabs.Panel>
          </Tabs>
        </Stack>
      )}
      {license && isEditing && <LicenseForm license={license} onClose={() => setEditing(false)} />}
    </>
  );
}
