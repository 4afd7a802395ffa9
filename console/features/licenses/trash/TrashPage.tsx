import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArchiveRestore } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { FilterBar } from '../../../ui/FilterBar.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { AnchorLink, BackLink } from '../../../ui/links.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { useSelection } from '../../../ui/table/selection.ts';
import { keyText } from '../license-words.ts';
import { trashColumns } from './trash-columns.tsx';
import { trashQuery } from './trash-queries.ts';
import { useRestore } from './use-restore.ts';

const route = getRouteApi('/shell/licenses/trash');

/** Deleted licenses, which can be restored. */
export function TrashPage() {
  const { t } = useTranslation('trash');
  const { t: audit } = useTranslation('audit');
  const { can } = useSession();
  const { key, before } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(trashQuery({ license_key: key, before }));
  const columns = useMemo(() => trashColumns(t, audit), [t, audit]);
  const selection = useSelection(`trash ${key ?? ''}`);
  const restore = useRestore();
  const { ids } = selection;
  const restoreSelected = () => restore.mutate(ids, { onSuccess: () => selection.set(ids, false) });
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        before={<BackLink to="/licenses">{t('back')}</BackLink>}
        roleNote={!can('licenses.delete') && t('roleNote')}
      />
      <FilterBar label={t('filter')}>
        <SearchField
          label={t('search')}
          value={key ?? ''}
          onSearch={(typed) => void navigate({ search: { key: typed || undefined } })}
          style={{ flex: '1 1 260px' }}
        />
      </FilterBar>
      <DataTable
        name="trash"
        label={t('title')}
        columns={columns}
        query={query}
        rowName={keyText}
        {...(can('licenses.delete') && {
          selection,
          bulkActions: (
            <Button
              size="xs"
              variant="default"
              leftSection={<ArchiveRestore size={14} />}
              loading={restore.isPending}
              onClick={restoreSelected}
            >
              {t('restore')}
            </Button>
          ),
        })}
        empty={
          key === undefined ? (
            <EmptyState title={t('empty')}>{t('emptyNext')}</EmptyState>
          ) : (
            <EmptyState
              title={t('noMatch')}
              action={
                <AnchorLink to="/licenses/trash" search={{}} size="sm">
                  {t('all')}
                </AnchorLink>
              }
            >
              {t('noMatchNext')}
            </EmptyState>
          )
        }
      />
    </>
  );
}
