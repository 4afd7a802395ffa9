import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './DayChart.module.css';
import { formatDay, formatNumber, formatShortDay } from './format.ts';

/** Formats a number briefly ('1.2M'), because a longer label would not fit beside the chart. */
const shortNumber = (value: number): string => formatNumber(value, { notation: 'compact' });

const COLORS = ['var(--chart-first)', 'var(--chart-second)'];

type Day<Count extends string> = { day: string } & Record<Count, number>;
interface Props<Count extends string> {
  title: string;
  days: readonly Day<NoInfer<Count>>[];
  /** The labels of the series, by series. */
  counts: Readonly<Partial<Record<Count, string>>>;
}

/** Numbers by day: a chart, with a table. Import it only in lazily loaded code: it is large. */
export function DayChart<Count extends string>({ title, days, counts }: Props<Count>) {
  const { t } = useTranslation('dashboard');
  const names = Object.keys(counts) as Count[];
  const series = names.map((name, i) => ({
    name,
    label: counts[name] as string,
    color: COLORS[i] as string,
  }));
  return (
    <>
      <div aria-hidden className={styles.chart}>
        <BarChart
          h={180}
          data={[...days]}
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
    </>
  );
}
