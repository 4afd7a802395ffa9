import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { FilterBar } from '../../../ui/FilterBar.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Select } from '../../../ui/forms/choices.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { activationColumns } from './activation-columns.tsx';
import { activationsQuery } from './activation-queries.ts';

const route = getRouteApi('/shell/activations');
const STATES = ['valid', 'deactivated'] as const;

export function ActivationsPage() {
  const { t } = useTranslation('activations');
  const { label, address, license, state, before } = route.useSearch();
  const { can } = useSession();
  const navigate = route.useNavigate();
  const query = useQuery(activationsQuery({ label, address, license_id: license, state, before }));
  const columns = useMemo(() => activationColumns(t, true), [t]);
  type Changes = Partial<ReturnType<typeof route.useSearch>>;
  const change = (changes: Changes) =>
    void navigate({ search: (was) => ({ ...was, ...changes, before: undefined }) });
  const isFiltered = [label, address, license, state].some((one) => one !== undefined);
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        roleNote={!can('licenses.write') ? t('viewerNote') : !can('activations.delete') && t('supportNote')}
      />
      <FilterBar label={t('find')}>
        <SearchField
          label={t('search')}
          value={label ?? ''}
          onSearch={(typed) => change({ label: typed || undefined })}
          style={{ flex: '1 1 220px' }}
        />
        <SearchField
          label={t('anyAddress')}
          data-page-search={undefined}
          value={address ?? ''}
          onSearch={(typed) => change({ address: typed || undefined })}
          style={{ flex: '1 1 180px' }}
        />
        <Select
          aria-label={t('state')}
          placeholder={t('states.all')}
          data={STATES.map((value) => ({ value, label: t(`states.${value}`) }))}
          value={state ?? null}
          onChange={(chosen) => change({ state: STATES.find((one) => one === chosen) })}
          clearable
          w={{ base: '100%', xs: 200 }}
        />
        {license !== undefined && (
          <Button
            variant="default"
            rightSection={<X size={14} />}
            onClick={() => change({ license: undefined })}
          >
            {t('ofLicense', { id: license })}
          </Button>
        )}
        {isFiltered && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<X size={16} />}
            onClick={() =>
              change({ label: undefined, address: undefined, license: undefined, state: undefined })
            }
          >
            {t('reset')}
          </Button>
        )}
      </FilterBar>
      <DataTable
        name="activations"
        label={t('title')}
        columns={columns}
        query={query}
        empty={
          isFiltered ? (
            <EmptyState title={t('noMatch')}>{t('noMatchNext')}</EmptyState>
          ) : (
            <EmptyState title={t('empty')}>{t('emptyNext')}</EmptyState>
          )
        }
      />
    </>
  );
}
