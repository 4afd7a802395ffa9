import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import type { ListedEndpoint } from './queries.ts';
import styles from './WeekBars.module.css';
import { shareText } from './words.ts';

/** The attempts of the last days as bars, and the share that succeeded. */
export function WeekBars({ days }: Pick<ListedEndpoint, 'days'>) {
  const { t } = useTranslation('events');
  const most = Math.max(...days.map(({ delivered, failed }) => delivered + failed));
  const delivered = days.reduce((sum, day) => sum + day.delivered, 0);
  const total = days.reduce((sum, day) => sum + day.failed, delivered);
  if (total === 0)
    return (
      <Text span size="sm" c="dimmed">
        {t('week.none')}
      </Text>
    );
  const height = (count: number) => `${(count / most) * 100}%`;
  return (
    <Group gap="xs" wrap="nowrap">
      <div className={styles.bars} aria-hidden>
        {days.map((day) => (
          <div key={day.day} className={styles.day}>
            <div className={styles.failed} style={{ height: height(day.failed) }} />
            <div className={styles.delivered} style={{ height: height(day.delivered) }} />
          </div>
        ))}
      </div>
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {t('week.share', { share: shareText(delivered, total), total: formatNumber(total) })}
      </Text>
    </Group>
  );
}
