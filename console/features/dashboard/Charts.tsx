import { SimpleGrid } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { DayChart } from '../../ui/DayChart.tsx';
import { Panel } from './Panel.tsx';
import { type Day, hasUsage } from './queries.ts';

/** Charts the counts by day, each with a table. */
export function Charts({ days }: { days: Day[] }) {
  const { t } = useTranslation('dashboard');
  const used = days.filter(hasUsage);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {used.length > 0 && (
        <>
          <Chart
            title={t('chart.activations')}
            days={used}
            counts={{ activations: t('stat.activations'), deactivations: t('stat.deactivations') }}
          />
          <Chart title={t('stat.validations')} days={used} counts={{ validations: t('stat.validations') }} />
        </>
      )}
      <Chart
        title={t('chart.licenses')}
        days={days}
        counts={{ licenses: t('stat.licenses'), renewals: t('stat.renewals') }}
      />
      <Chart title={t('stat.downloads')} days={days} counts={{ downloads: t('stat.downloads') }} />
    </SimpleGrid>
  );
}

const Chart = <Count extends string>(props: ComponentProps<typeof DayChart<Count>>) => (
  <Panel title={props.title}>
    <DayChart {...props} />
  </Panel>
);
