import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatDuration } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Facts } from './Facts.tsx';
import type { Installation } from './queries.ts';

/** '25 hours', or minutes below one hour. */
const ageText = (hours: number): string =>
  hours < 1 ? formatDuration(Math.ceil(hours * 60), 'minute') : formatDuration(Math.round(hours), 'hour');

/** The cheap health checks, with advice for each problem. */
export function HealthCard({ health }: Pick<Installation, 'health'>) {
  const { t } = useTranslation('settings');
  const words = ({ check, is_good, amount }: Installation['health'][number]): string => {
    if ((check === 'backups' || check === 'disk') && amount === null) return t(`health.${check}.none`);
    return t(`health.${check}.${is_good ? 'good' : 'bad'}`, {
      bytes: formatBytes(amount ?? 0),
      age: ageText(amount ?? 0),
    });
  };
  return (
    <Facts
      title={t('health.title')}
      facts={health.map((one) => [
        t(`health.${one.check}.name`),
        <Stack key={one.check} gap={2} align="start">
          <StatusBadge tone={one.is_good ? 'good' : 'warning'}>
            {t(one.is_good ? 'health.ok' : 'health.warning')}
          </StatusBadge>
          <Text size="sm">{words(one)}</Text>
        </Stack>,
      ])}
    >
      <Text size="xs" c="dimmed" mt="xs">
        {t('health.more')}
      </Text>
    </Facts>
  );
}
