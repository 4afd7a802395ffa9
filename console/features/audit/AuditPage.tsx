import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { actorText } from '../../ui/actor-text.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { SubjectLink } from '../../ui/SubjectLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { WrongFilters } from '../../ui/WrongFilters.tsx';
import { AuditFilters } from './AuditFilters.tsx';
import { EntryDetails } from './EntryDetails.tsx';
import { auditQuery, type Entry } from './queries.ts';
import { subjectOf } from './subject.ts';
import { actionText, changeText } from './words.ts';

const route = getRouteApi('/shell/audit');

export function AuditPage() {
  const { t } = useTranslation('audit');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const subject = search.subject ? subjectOf(search.subject, t) : null;
  const isWrong = search.subject !== undefined && subject === null;
  const query = useQuery({ ...auditQuery(search, subject), enabled: !isWrong });
  const [opened, setOpened] = useState<Entry | null>(null);
  const columns = useMemo(() => columnsOf(t, setOpened), [t]);
  const { before: _, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const head = query.data?.head;
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <AuditFilters search={search} />
      {isWrong ? (
        <WrongFilters
          wrong={[`${t('column.subject')}: ${search.subject}`]}
          onClear={() => void navigate({ search: { ...search, subject: undefined } })}
        />
      ) : (
        <DataTable
          name="audit"
          label={t('title')}
          columns={columns}
          query={query}
          empty={
            <EmptyState title={t('empty')}>{isFiltered ? t('emptyFiltered') : t('emptyNext')}</EmptyState>
          }
        />
      )}
      {head && (
        <Text size="xs" c="dimmed" mt="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
          {t('head', { head })} <CopyButton value={head} label={t('headCopy')} />
        </Text>
      )}
      <EntryDetails entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}

const columnsOf = (t: TFunction<'audit'>, open: (entry: Entry) => void): Column<Entry>[] =>
  listColumns((id) => t(`column.${id}`), {
    what: {
      cell: (entry) => (
        <UnstyledButton onClick={() => open(entry)} c="var(--mantine-color-anchor)" fz="sm" fw={600} py={4}>
          {actionText(t, entry)}
        </UnstyledButton>
      ),
    },
    at: { cell: ({ at }) => <Time value={at} /> },
    who: { cell: (entry) => actorText(t, entry) },
    via: { cell: ({ via }) => t(`via.${via}`) },
    subject: { cell: (entry) => <SubjectLink {...entry} /> },
    change: {
      cell: (entry) => (
        // The drawer shows the full text.
        <Text size="sm" lineClamp={2} maw={360} style={{ overflowWrap: 'anywhere' }}>
          {changeText(entry)}
        </Text>
      ),
    },
    origin: { cell: ({ origin }) => origin ?? '–', isHidden: true },
  });
