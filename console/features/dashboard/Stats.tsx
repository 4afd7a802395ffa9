import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { NumberText } from '../../ui/forms/NumberText.tsx';
import styles from './Dashboard.module.css';
import type { Dashboard, Range } from './queries.ts';
import { Sparkline } from './Sparkline.tsx';

const NAMES = [
  ...(['total', 'licenses', 'renewals', 'expired', 'seats'] as const),
  ...(['activations', 'deactivations', 'validations', 'downloads'] as const),
];
type Name = (typeof NAMES)[number];
/** The figures that can be counted for a single product. */
const OF_PRODUCT: readonly Name[] = ['total', 'licenses', 'renewals', 'expired', 'downloads'];
const ACTIVE = 3;

interface Tile {
  value: ReactNode;
  note: string;
  /** The values by day; missing for figures that are not counted by day. */
  trend?: number[];
}

interface Props {
  data: Dashboard | undefined;
  days: Range;
  isOfProduct: boolean;
}

/** Shows totals, and the counts of the period with the change from the period before. */
export function Stats({ data, days, isOfProduct }: Props) {
  const { t } = useTranslation('dashboard');
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md" component="dl" m={0}>
      {(isOfProduct ? OF_PRODUCT : NAMES).map((name) => {
        const tile = data && tileOf(name, data, days, t);
        return (
          <div key={name} className={`${styles.panel} ${styles.stat}`}>
            <Text component="dt" size="sm" c="dimmed">
              {t(`stat.${name}`)}
            </Text>
            <dd style={{ margin: 0 }}>
              <Group gap="sm" justify="space-between" wrap="nowrap" align="center">
                {tile ? (
                  <span className={styles.number}>{tile.value}</span>
                ) : (
                  <Skeleton height={28} width={72} my={3} />
                )}
                {tile?.trend && <Sparkline values={tile.trend} />}
              </Group>
              <Text size="xs" c="dimmed">
                {tile?.note ?? '\u00a0'}
              </Text>
            </dd>
          </div>
        );
      })}
    </SimpleGrid>
  );
}

function tileOf(name: Name, data: Dashboard, days: Range, t: TFunction<'dashboard'>): Tile {
  const { totals, licenses, seats, expired, earlier } = data;
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
  switch (name) {
    case 'total': {
      const active = totals.by_status.find(({ status }) => status === ACTIVE)?.licenses ?? 0;
      return {
        value: <NumberText value={licenses.total} isMore={licenses.is_more} />,
        // The number of active licenses is only known for all products together.
        note: seats ? t('stat.active', { value: formatNumber(active) }) : t('stat.ofProduct'),
      };
    }
    case 'seats':
      return {
        value: <NumberText value={seats?.total ?? null} isMore={seats?.is_more} />,
        note: t('stat.seatsNote'),
      };
    case 'expired':
      return {
        value: <NumberText value={expired.total} isMore={expired.is_more} />,
        note: against(expired.total, earlier.expired.is_more ? 0 : earlier.expired.total),
      };
    default: {
      const trend = data.days.map((day) => day[name] ?? 0);
      const count = trend.reduce((sum, ofDay) => sum + ofDay, 0);
      return { value: formatNumber(count), note: against(count, earlier[name] ?? 0), trend };
    }
  }
}
