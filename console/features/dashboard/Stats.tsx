import { SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import styles from './Dashboard.module.css';
import type { Dashboard, Range } from './queries.ts';

const SUMMED = ['licenses', 'activations', 'validations', 'downloads'] as const;
const ACTIVE = 3;

/** Totals, and counts of the period. */
export function Stats({ data, days }: { data: Dashboard | undefined; days: Range }) {
  const { t } = useTranslation('dashboard');
  const period = t('stat.inPeriod', { count: days });
  const active = data?.totals.by_status.find(({ status }) => status === ACTIVE)?.licenses;
  const stats = [
    {
      name: t('stat.licenses'),
      value: data?.totals.licenses,
      note: active === undefined ? '' : t('stat.active', { value: formatNumber(active) }),
    },
    ...SUMMED.map((one) => ({
      name: t(one === 'licenses' ? 'stat.created' : `stat.${one}`),
      value: data?.days.reduce((sum, day) => sum + day[one], 0),
      note: period,
    })),
  ];
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md" component="dl" m={0}>
      {stats.map(({ name, value, note }) => (
        <div key={name} className={`${styles.panel} ${styles.stat}`}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <dd style={{ margin: 0 }}>
            {value === undefined ? (
              <Skeleton height={28} width={72} my={3} />
            ) : (
              <span className={styles.number}>{formatNumber(value)}</span>
            )}
            <Text size="xs" c="dimmed">
              {value === undefined ? '\u00a0' : note}
            </Text>
          </dd>
        </div>
      ))}
    </SimpleGrid>
  );
}
