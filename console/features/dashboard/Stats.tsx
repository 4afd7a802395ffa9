import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { NumberText } from '../../ui/forms/NumberText.tsx';
import styles from './Dashboard.module.css';
import type { Dashboard, Range } from './queries.ts';
import { Sparkline } from './Sparkline.tsx';

const SUMMED = ['licenses', 'activations', 'deactivations', 'validations', 'downloads'] as const;
const ACTIVE = 3;

interface Tile {
  name: string;
  value: ReactNode;
  note: string;
  /** By day; only of what is counted by day. */
  trend?: number[];
}

/** Totals, and counts of the period with the change against the one before. */
export function Stats({ data, days }: { data: Dashboard | undefined; days: Range }) {
  const { t } = useTranslation('dashboard');
  const tiles = data
    ? tilesOf(data, days, t)
    : NAMES.map((name) => ({ name: t(name), value: null, note: '' }));
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md" component="dl" m={0}>
      {tiles.map(({ name, value, note, trend }: Tile) => (
        <div key={name} className={`${styles.panel} ${styles.stat}`}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <dd style={{ margin: 0 }}>
            <Group gap="sm" justify="space-between" wrap="nowrap" align="center">
              {value === null ? (
                <Skeleton height={28} width={72} my={3} />
              ) : (
                <span className={styles.number}>{value}</span>
              )}
              {trend && <Sparkline values={trend} />}
            </Group>
            <Text size="xs" c="dimmed">
              {value === null ? '\u00a0' : note}
            </Text>
          </dd>
        </div>
      ))}
    </SimpleGrid>
  );
}

const NAMES = [
  'stat.total',
  'stat.seats',
  ...SUMMED.map((one) => `stat.${one}` as const),
  'stat.expired',
] as const;

function tilesOf(data: Dashboard, days: Range, t: TFunction<'dashboard'>): Tile[] {
  const { totals, seats, expired, earlier } = data;
  const active = totals.by_status.find(({ status }) => status === ACTIVE)?.licenses ?? 0;
  const against = (count: number, before: number): string =>
    before === 0
      ? t('stat.inPeriod', { count: days })
      : t('stat.change', {
          count: days,
          change: formatNumber(count / before - 1, {
            style: 'percent',
            signDisplay: 'exceptZero',
            maximumFractionDigits: 0,
          }),
        });
  const summed = SUMMED.map((one): Tile => {
    const trend = data.days.map((day) => day[one]);
    const count = trend.reduce((sum, ofDay) => sum + ofDay, 0);
    return { name: t(`stat.${one}`), value: formatNumber(count), note: against(count, earlier[one]), trend };
  });
  return [
    {
      name: t('stat.total'),
      value: formatNumber(totals.licenses),
      note: t('stat.active', { value: formatNumber(active) }),
    },
    {
      name: t('stat.seats'),
      value: <NumberText value={seats.total} isMore={seats.is_more} />,
      note: t('stat.seatsNote'),
    },
    ...summed,
    {
      name: t('stat.expired'),
      value: <NumberText value={expired.total} isMore={expired.is_more} />,
      note: against(expired.total, earlier.expired.is_more ? 0 : earlier.expired.total),
    },
  ];
}
