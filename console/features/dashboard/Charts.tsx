import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DayChart } from '../../ui/DayChart.tsx';
import { Panel } from './Panel.tsx';
import type { Day } from './queries.ts';

type Count = Exclude<keyof Day, 'day'>;

/** Daily charts, each with a text summary and a table. */
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
  counts: Partial<Record<Count, string>>;
}

const Chart = (props: Props) => (
  <Panel title={props.title}>
    <DayChart<Count> {...props} />
  </Panel>
);
