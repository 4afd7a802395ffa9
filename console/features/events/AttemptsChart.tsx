import { useTranslation } from 'react-i18next';
import { DayChart } from '../../ui/DayChart.tsx';
import type { EndpointDetails } from './queries.ts';

/** Charts how many attempts succeeded and failed on each day. */
export function AttemptsChart({ days }: Pick<EndpointDetails, 'days'>) {
  const { t } = useTranslation('events');
  return (
    <DayChart<'delivered' | 'failed'>
      title={t('chart.title')}
      days={days}
      counts={{ delivered: t('deliveries.state.delivered'), failed: t('deliveries.state.failed') }}
    />
  );
}
