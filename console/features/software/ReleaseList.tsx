import { Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { PackageOpen } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Answer } from '../../client/api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { StatusBadge, type Tone } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { type Channel, type Release, releasesQuery } from './queries.ts';
import { ReleaseForm } from './ReleaseForm.tsx';
import { ReleaseMenu } from './ReleaseMenu.tsx';

const route = getRouteApi('/shell/software/$id');

interface Props {
  softwareId: number;
  channel: Channel | undefined;
  /** The button that makes the first one. */
  publish: ReactNode;
}

/** The releases of software, the highest version first. */
export function ReleaseList({ softwareId, channel, publish }: Props) {
  const { t } = useTranslation('software');
  const { before } = route.useSearch();
  const query = useQuery(releasesQuery(softwareId, before));
  const [edited, setEdited] = useState<Release | null>(null);
  const columns = useMemo(() => columnsOf(t, setEdited), [t]);
  const { data } = query;
  const shown = useMemo(
    () => (data && channel ? { ...data, items: data.items.filter((one) => one.channel === channel) } : data),
    [data, channel],
  );
  const isFiltered = channel !== undefined && data !== undefined && data.items.length > 0;
  return (
    <>
      <DataTable
        name="releases"
        label={t('releases')}
        columns={columns}
        query={{ ...query, data: shown } as UseQueryResult<Answer<'listReleases'>>}
        empty={
          isFiltered ? (
            <EmptyState title={t('emptyChannel')} icon={PackageOpen} />
          ) : (
            <EmptyState title={t('emptyReleases')} icon={PackageOpen} action={publish}>
              {t('emptyReleasesNext')}
            </EmptyState>
          )
        }
      />
      {edited && <ReleaseForm key={edited.id} release={edited} onClose={() => setEdited(null)} />}
    </>
  );
}

const TONES: Record<Release['status'], Tone> = { published: 'good', draft: 'neutral', yanked: 'bad' };

const columnsOf = (t: TFunction<'software'>, edit: (release: Release) => void): Column<Release>[] => [
  { id: 'version', header: t('column.version'), cell: ({ version }) => <Text fw={600}>{version}</Text> },
  { id: 'channel', header: t('column.channel'), cell: ({ channel }) => t(`channel.${channel}`) },
  {
    id: 'status',
    header: t('column.status'),
    cell: ({ status }) => <StatusBadge tone={TONES[status]}>{t(`status.${status}`)}</StatusBadge>,
  },
  {
    id: 'rollout',
    header: t('column.rollout'),
    align: 'end',
    cell: ({ rollout }) => formatNumber(rollout / 100, { style: 'percent' }),
  },
  {
    id: 'file',
    header: t('column.file'),
    cell: ({ file }) => (
      <Text size="sm" truncate>
        {file ? `${file.name} (${formatBytes(file.size)})` : '–'}
      </Text>
    ),
  },
  {
    id: 'published',
    header: t('column.published'),
    cell: ({ published_at }) => <Time value={published_at} />,
  },
  {
    id: 'actions',
    header: t('column.actions'),
    align: 'end',
    cell: (release) => <ReleaseMenu release={release} onEdit={() => edit(release)} />,
  },
];
