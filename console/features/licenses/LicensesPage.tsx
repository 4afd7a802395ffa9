import { Box, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, ListChecks, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import type { Answer } from '../../client/api.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { announce } from '../../ui/feedback/announce.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { formatNumber, localeOf } from '../../ui/format.ts';
import { saveAddress } from '../../ui/forms/save.ts';
import { lazyPart } from '../../ui/loading/lazy-part.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { useSelection } from '../../ui/table/selection.ts';
import { WrongFilters } from '../../ui/WrongFilters.tsx';
import { SELECTED_MAX } from './bulk.ts';
import { licenseColumns } from './license-columns.tsx';
import { keyText, roleNote } from './license-words.ts';
import { defaultSort, type LicensesSearch, selectionScope, wrongLicensesFilters } from './licenses-search.ts';
import { LicenseFilters } from './list/LicenseFilters.tsx';
import { allIds, exportAddress, licensesQuery } from './queries.ts';
import { LookInTrash, TrashLink } from './trash/TrashLink.tsx';

const route = getRouteApi('/shell/licenses');
const CreateLicense = lazyPart(async () => (await import('./form/CreateLicense.tsx')).CreateLicense);
const BulkActions = lazyPart(async () => (await import('./BulkActions.tsx')).BulkActions);
const preloadCreate = () => void CreateLicense.preload();

export function LicensesPage() {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const wrong = wrongLicensesFilters(search);
  const query = useQuery({ ...licensesQuery(search), enabled: wrong.length === 0 });
  const columns = useMemo(() => licenseColumns(t), [t]);
  const { before: _, create: __, sort: chosen, ...filter } = search;
  const by = chosen ?? defaultSort(search);
  const selection = useSelection(selectionScope(search));
  const change = (changes: Partial<LicensesSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...changes, before: undefined }) });
  const { total = null, total_is_more: isMore = false } = query.data ?? {};
  // Whether the user asked for all matches: if there are more than can be selected, only the newest are selected.
  const [wantsAll, setWantsAll] = useState(false);
  const isNewest = wantsAll && selection.size === SELECTED_MAX && (isMore || (total ?? 0) > SELECTED_MAX);
  const newestText = t('bulk.newestFound', {
    number: formatNumber(SELECTED_MAX),
    total: formatNumber(total ?? 0) + (isMore ? '+' : ''),
  });
  const selectAll = (ids: number[]) => {
    // Start over: the licenses selected before are among the matches.
    selection.clear();
    selection.set(ids, true);
    setWantsAll(true);
    announce(ids.length < SELECTED_MAX ? t('bulk.allFound', { count: ids.length }) : newestText);
  };
  const closeCreate = () =>
    void navigate({ search: (before) => ({ ...before, create: undefined }), replace: true });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (wrong.length > 0)
    return (
      <>
        <PageHeader title={t('title')} />
        <WrongFilters wrong={wrong} onClear={() => void navigate({ search: {} })} />
      </>
    );
  return (
    <>
      <PageHeader
        title={t('title')}
        roleNote={roleNote(can, t)}
        actions={
          <>
            <TrashLink />
            {can('licenses.keys') && (
              <Button
                variant="default"
                px={{ base: 10, xs: 'md' }}
                aria-label={t('exportAll')}
                title={t('exportHint')}
                onClick={() => saveAddress(exportAddress(search))}
              >
                <Download size={16} />
                <Box component="span" visibleFrom="xs" ml={10}>
                  {t('exportAll')}
                </Box>
              </Button>
            )}
            {can('licenses.write') && (
              <Button
                leftSection={<Plus size={16} />}
                onPointerEnter={preloadCreate}
                onFocus={preloadCreate}
                onClick={() => void navigate({ search: (before) => ({ ...before, create: 'yes' }) })}
              >
                {t('create')}
              </Button>
            )}
          </>
        }
      />
      <LicenseFilters search={search} onChange={change} />
      {search.search !== undefined && query.data && query.data.matched.length > 0 && (
        <Matched matched={query.data.matched} />
      )}
      {query.data?.is_cut && (
        <Text size="sm" mb="xs" role="status">
          {t('cut')}
        </Text>
      )}
      <DataTable
        name="licenses"
        label={t('title')}
        columns={columns}
        query={query}
        rowTo={({ id }) => `/licenses/${id}`}
        rowName={keyText}
        hasShortCards
        sorting={{
          by,
          byDefault: defaultSort(search),
          onSort: (to) => change({ sort: to as LicensesSearch['sort'] }),
        }}
        {...(can('licenses.write') && {
          selection,
          selectedText: isNewest ? newestText : undefined,
          bulkActions: (
            // The last button comes with the others: it must not move when their code has loaded.
            <BulkActions selection={selection}>
              {query.data?.next != null && selection.size < Math.min(total ?? 0, SELECTED_MAX) && (
                <SelectAll search={search} onFound={selectAll} />
              )}
            </BulkActions>
          ),
        })}
        empty={
          isFiltered ? (
            <EmptyState
              title={t('noMatch')}
              action={search.search !== undefined && <LookInTrash searched={search.search} />}
            >
              {t(can('licenses.keys') ? 'noMatchNext' : 'noMatchNextMasked')}
            </EmptyState>
          ) : (
            <EmptyState title={t('empty')}>{t('emptyNext')}</EmptyState>
          )
        }
      />
      {search.create && can('licenses.write') && <CreateLicense onClose={closeCreate} onFail={closeCreate} />}
    </>
  );
}

/** Says how the search text matched. */
function Matched({ matched }: Pick<Answer<'listLicenses'>, 'matched'>) {
  const { t, i18n } = useTranslation('licenses');
  const words = matched.map((one) => t(`matched.${one}`));
  const by = new Intl.ListFormat(localeOf(i18n.language), { type: 'conjunction' }).format(words);
  return (
    <Text size="sm" c="dimmed" mb="xs">
      {t('found', { by })}
    </Text>
  );
}

/** Selects the matches on all pages. */
function SelectAll({ search, onFound }: { search: LicensesSearch; onFound: (ids: number[]) => void }) {
  const { t } = useTranslation('licenses');
  const look = useAction({ mutationFn: () => allIds(search, SELECTED_MAX) });
  return (
    <Button
      size="xs"
      variant="subtle"
      loading={look.isPending}
      leftSection={<ListChecks size={14} />}
      // If the filter changes meanwhile, this button is gone, and the callbacks are not called.
      onClick={() => look.mutate(undefined, { onSuccess: onFound, onError: errorToast })}
    >
      {t('bulk.all')}
    </Button>
  );
}
