import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Group, SegmentedControl, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { formatDay, formatDuration, formatNumber } from '../../ui/format.ts';
import { type Downloads, downloadsQuery } from './queries.ts';

const SPANS = ['30', '90', '365'] as const;
const HEIGHT = 240;

/** The daily downloads of software as a chart, a summary and a table by release. */
export function DownloadsSection({ softwareId }: { softwareId: number }) {
  const { t } = useTranslation('software');
  const [span, setSpan] = useState<string>(SPANS[0]);
  const { data, error, refetch } = useQuery(downloadsQuery(softwareId, Number(span)));
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{t('downloads.title')}</Title>
        <SegmentedControl
          aria-label={t('downloads.span')}
          size="xs"
          value={span}
          onChange={setSpan}
          data={SPANS.map((value) => ({ value, label: formatDuration(Number(value), 'day') }))}
        />
      </Group>
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={HEIGHT} />
      ) : data.total === 0 ? (
        <EmptyState title={t('downloads.none')}>{t('downloads.noneNext')}</EmptyState>
      ) : (
        <Shown downloads={data} />
      )}
    </Stack>
  );
}

function Shown({ downloads: { days, releases, total, from, to } }: { downloads: Downloads }) {
  const { t } = useTranslation('software');
  const most = days.reduce((best, one) => (one.downloads > best.downloads ? one : best));
  return (
    <>
      <Text size="sm">
        {t('downloads.summary', {
          count: total,
          total: formatNumber(total),
          from: formatDay(from),
          to: formatDay(to),
          most: formatNumber(most.downloads),
          day: formatDay(most.day),
        })}
      </Text>
      {/* Hidden from screen readers: the summary and the table contain the same data. */}
      <div aria-hidden>
        <BarChart
          h={HEIGHT}
          data={days.map(({ day, downloads }) => ({ day: formatDay(day), downloads }))}
          dataKey="day"
          series={[{ name: 'downloads', label: t('downloads.title'), color: 'verdigris.6' }]}
          valueFormatter={(value) => formatNumber(value)}
          barChartProps={{ accessibilityLayer: false }}
          barProps={{ isAnimationActive: false }}
          xAxisProps={{ minTickGap: 32 }}
          yAxisProps={{ allowDecimals: false, width: 48 }}
        />
      </div>
      <Table withRowBorders={false} striped maw={480}>
        <Table.Caption style={{ captionSide: 'top', textAlign: 'start' }}>
          {t('downloads.byRelease')}
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('column.version')}</Table.Th>
            <Table.Th scope="col" ta="end">
              {t('downloads.title')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {releases.slice(0, 10).map((one) => (
            <Table.Tr key={one.release_id}>
              <Table.Td>{one.version}</Table.Td>
              <Table.Td ta="end">{formatNumber(one.downloads)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
