import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ButtonLink } from '../../../ui/links.tsx';
import { idOf } from '../../../ui/search.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { ActivateByHand } from './ActivateByHand.tsx';
import { activationColumns } from './activation-columns.tsx';
import { licenseActivationsQuery } from './activation-queries.ts';

const route = getRouteApi('/shell/licenses/$id');

/** The activations of a license, including deactivated ones. */
export function LicenseActivations({ licenseId }: { licenseId: number }) {
  const { t } = useTranslation('activations');
  const { before } = route.useSearch();
  const query = useQuery(licenseActivationsQuery(licenseId, idOf({ before }, 'before')));
  const columns = useMemo(() => activationColumns(t, false), [t]);
  return (
    <>
      <Group justify="flex-end" gap="xs" mb="xs">
        {(before !== undefined || query.data?.next != null) && (
          <ButtonLink
            to="/activations"
            search={{ license: licenseId }}
            size="xs"
            variant="default"
            leftSection={<Search size={14} />}
          >
            {t('find')}
          </ButtonLink>
        )}
        <ActivateByHand licenseId={licenseId} />
      </Group>
      <DataTable
        name="license-activations"
        label={t('title')}
        columns={columns}
        query={query}
        empty={<EmptyState title={t('empty')}>{t('emptyNext')}</EmptyState>}
      />
    </>
  );
}
