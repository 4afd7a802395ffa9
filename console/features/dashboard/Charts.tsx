import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { SimpleGrid, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDay, formatNumber, formatShortDay } from '../../ui/format.ts';
import styles from './Dashboard.module.css';
import { Panel } from './Panel.tsx';
import type { Day } from './queries.ts';

type Count = Exclude<keyof Day, 'day'>;
/** '1.2M': longer ones would leave the panel. */
const shortNumber = (value: number): string => formatNumber(value, { notation: 'compact' });

const COLORS = ['var(--chart-first)', 'var(--chart-second)'];

/** Daily charts, each with a table. */
export function Charts({ days }: { days: Day[] }) {
  const { t } = useTranslation('dashboard');
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Chart
        title={t('chart.activations')}
        days={days}
        counts={{ activations: t('chart.activationsOf'), deactivations: t('chart.deactivationsOf') }}
      />
      <Chart title={t('chart.validations')} days={days} counts={{ validations: t('chart.validations') }} />
      <Chart title={t('chart.licenses')} days={days} counts={{ licenses: t('chart.licenses') }} />
      <Chart title={t('chart.downloads')} days={days} counts={{ downloads: t('chart.downloads') }} />
    </SimpleGrid>
  );
}

interface Props {
  title: string;
  days: Day[];
  /** The series and their labels. */
  counts: Partial<Record<Count, string>>;
}

function Chart({ title, days, counts }: Props) {
  const { t } = useTranslation('dashboard');
  const names = Object.keys(counts) as Count[];
  const series = names.map((name, i) => ({ name, label: counts[name], color: COLORS[i] as string }));
  return (
    <Panel title={title}>
      <div aria-hidden className={styles.chart}>
        <BarChart
          h={180}
          data={days}
          dataKey="day"
          series={series}
          // Do not stack: deactivations on top would read as activations.
          type="default"
          withLegend={names.length > 1}
          gridAxis="x"
          tickLine="none"
          valueFormatter={(value) => formatNumber(value)}
          xAxisProps={{ tickFormatter: formatShortDay, minTickGap: 24 }}
          yAxisProps={{ allowDecimals: false, width: 44, tickFormatter: shortNumber }}
          barProps={{ isAnimationActive: false, radius: 2 }}
          tooltipAnimationDuration={0}
          tooltipProps={{ labelFormatter: (label) => (label ? formatDay(String(label)) : '') }}
          // Without a legend, the highest label needs this room.
          barChartProps={{ accessibilityLayer: false, margin: { top: names.length > 1 ? 0 : 10 } }}
        />
      </div>
      <details className={styles.details}>
        <summary>{t('chart.table')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll */}
        <section className={styles.scroll} tabIndex={0} aria-label={title}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('chart.day')}</Table.Th>
                {names.map((name) => (
                  <Table.Th key={name}>{counts[name]}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.toReversed().map((day) => (
                <Table.Tr key={day.day}>
                  <Table.Th scope="row" fw={400}>
                    {formatDay(day.day)}
                  </Table.Th>
                  {names.map((name) => (
                    <Table.Td key={name}>{formatNumber(day[name])}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      </details>
    </Panel>
  );
}
