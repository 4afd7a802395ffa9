import { Card, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotFound } from '../../app/shell/NotFound.tsx';
import { isGone } from '../../client/errors.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { LicenseActivations } from './activations/LicenseActivations.tsx';
import { LicenseForm } from './form/LicenseForm.tsx';
import { LicenseHistory } from './LicenseHistory.tsx';
import { LicenseNotes } from './notes/LicenseNotes.tsx';
import { FactsSkeleton, LicenseFacts } from './page/LicenseFacts.tsx';
import { LicenseHeader } from './page/LicenseHeader.tsx';
import { LicenseSummary, SummarySkeleton } from './page/LicenseSummary.tsx';
import { licenseQuery } from './queries.ts';
import { LookInTrash } from './trash/TrashLink.tsx';

const route = getRouteApi('/shell/licenses/$id');

export function LicensePage() {
  const id = Number(route.useParams().id);
  return Number.isSafeInteger(id) && id > 0 ? <Detail key={id} id={id} /> : <NotFound />;
}

function Detail({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(licenseQuery(id));
  const license = isGone(error) ? undefined : data;
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <LicenseHeader id={id} license={license} onEdit={() => setEditing(true)} />
      {error && !license ? (
        <ErrorState error={error} onRetry={() => void refetch()}>
          {isGone(error) && <LookInTrash />}
        </ErrorState>
      ) : (
        <Stack gap="lg">
          <Card withBorder padding="lg">
            <Stack gap="md">
              {license ? <LicenseSummary license={license} /> : <SummarySkeleton />}
              {license ? <LicenseFacts license={license} /> : <FactsSkeleton />}
            </Stack>
          </Card>
          <LicenseNotes licenseId={id} />
          <LicenseTabs id={id} />
        </Stack>
      )}
      {license && isEditing && <LicenseForm license={license} onClose={() => setEditing(false)} />}
    </>
  );
}

function LicenseTabs({ id }: { id: number }) {
  const { t } = useTranslation('licenses');
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Tabs
      value={tab ?? 'activations'}
      onChange={(chosen) =>
        void navigate({
          search: chosen === 'history' ? { tab: 'history' } : {},
          replace: true,
          // The other tab has other pages.
          state: (state) => ({ ...state, trail: [] }),
        })
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
  );
}
