import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NumberText } from '../../ui/NumberText.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { type Generator, generatorsQuery } from './queries.ts';

const route = getRouteApi('/shell/generators');

export function GeneratorsPage() {
  const { t } = useTranslation('generators');
  const search = route.useSearch();
  const query = useQuery(generatorsQuery(search));
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <DataTable
        name="generators"
        label={t('title')}
        columns={columns}
        query={query}
        empty={<EmptyState title={t('empty')}>{t('emptyNext')}</EmptyState>}
      />
    </>
  );
}

const columnsOf = (t: TFunction<'generators'>): Column<Generator>[] => [
  { id: 'name', header: t('column.name'), cell: ({ name }) => name },
  { id: 'pattern', header: t('column.pattern'), cell: (generator) => <Code>{patternOf(generator)}</Code> },
  {
    id: 'charset',
    header: t('column.charset'),
    cell: ({ charset }) => <Code>{charset}</Code>,
    isHidden: true,
  },
  {
    id: 'limit',
    header: t('column.limit'),
    align: 'end',
    cell: ({ activations_limit }) => <NumberText value={activations_limit} />,
  },
  {
    id: 'expires',
    header: t('column.expires'),
    cell: ({ expires_in }) => (expires_in === 0 ? t('forever') : t('days', { count: expires_in })),
  },
  { id: 'created', header: t('column.created'), cell: ({ created_at }) => <Time value={created_at} /> },
];

/** `XXXX-XXXX`, with what stands before and after. */
const patternOf = ({ prefix, suffix, chunks, chunk_length, separator }: Generator): string =>
  (prefix ?? '') +
  Array.from({ length: chunks }, () => 'X'.repeat(chunk_length)).join(separator) +
  (suffix ?? '');
