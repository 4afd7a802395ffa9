import { SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { FailingEndpoints } from '../../ui/events/FailingEndpoints.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { formatDuration, formatTime } from '../../ui/format.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProductFilter } from '../../ui/products/ProductFilter.tsx';
import { ExpiringSoon } from './ExpiringSoon.tsx';
import { ConnectProgram, FirstSteps } from './FirstSteps.tsx';
import { LatestEvents } from './LatestEvents.tsx';
import { type Dashboard, dashboardQuery, RANGES } from './queries.ts';
import { Stats } from './Stats.tsx';
import { Versions, VersionsInUse } from './Versions.tsx';

// The chart library is larger than the rest of the page.
const Charts = lazy(async () => ({ default: (await import('./Charts.tsx')).Charts }));

const route = getRouteApi('/shell/');

export function DashboardPage() {
  const { t } = useTranslation('dashboard');
  const { can } = useSession();
  const navigate = useNavigate();
  const { days = 30, product } = route.useSearch();
  const { data, error, refetch } = useQuery(dashboardQuery(days, product));
  // After a change of the filters, the previous figures stay until the new ones arrive, so ask the data what they are for.
  const isOfProduct = data ? data.seats === null : product !== undefined;
  const show = (search: { days?: 90 | undefined; product?: number | undefined }) =>
    navigate({ to: '/', search: (before) => ({ ...before, ...search }) });
  const filters = (
    <>
      <ProductFilter value={product} onChange={(chosen) => show({ product: chosen })} width={240} />
      <SegmentedControl
        aria-label={t('range')}
        value={String(days)}
        onChange={(value) => show({ days: value === '90' ? 90 : undefined })}
        data={RANGES.map((count) => ({ value: String(count), label: formatDuration(count, 'day') }))}
      />
    </>
  );
  if (error && !data)
    return (
      <>
        <PageHeader title={t('title')} />
        <ErrorState error={error} onRetry={() => void refetch()} />
      </>
    );
  const isEmpty = data !== undefined && !hasAnything(data);
  return (
    <>
      <PageHeader title={t('title')} actions={isEmpty ? undefined : filters} />
      {can('events.manage') && <FailingEndpoints />}
      {isEmpty ? (
        <Stack>
          <FirstSteps clientRoot={data.client_root} />
          {data.events && <LatestEvents events={data.events} />}
        </Stack>
      ) : (
        <Stack>
          {data && isUnused(data) && <ConnectProgram clientRoot={data.client_root} />}
          <Stats data={data} days={days} isOfProduct={isOfProduct} />
          {data ? (
            <Suspense fallback={<ChartsToCome isOfProduct={isOfProduct} />}>
              <Charts days={data.days} />
            </Suspense>
          ) : (
            <ChartsToCome isOfProduct={isOfProduct} />
          )}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
            {data ? (
              <>
                <ExpiringSoon expiring={data.expiring} product={product} />
                {data.events && <LatestEvents events={data.events} />}
                <VersionsInUse inUse={data.in_use} />
                <Versions versions={data.versions} />
              </>
            ) : (
              [0, 1].map((one) => <Skeleton key={one} height={LIST_HEIGHT} radius="md" />)
            )}
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            {data
              ? t(data.events ? 'counted' : 'countedOfProduct', { time: formatTime(data.counted_at) })
              : '\u00a0'}
          </Text>
        </Stack>
      )}
    </>
  );
}

/** Pixels, the final height of the charts. */
const CHART_HEIGHT = 276;
const LIST_HEIGHT = 600;

const ChartsToCome = ({ isOfProduct }: { isOfProduct: boolean }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
    {(isOfProduct ? [0, 1] : [0, 1, 2, 3]).map((one) => (
      <Skeleton key={one} height={CHART_HEIGHT} radius="md" />
    ))}
  </SimpleGrid>
);

const hasAnything = ({ totals, days }: Dashboard): boolean =>
  totals.licenses > 0 ||
  days.some((day) => (day.activations ?? 0) + (day.validations ?? 0) + day.downloads > 0);

/** Whether no program uses a license yet. The figures of a single product do not say. */
const isUnused = ({ seats, days }: Dashboard): boolean =>
  seats?.total === 0 && days.every((day) => !(day.activations || day.validations || day.downloads));
