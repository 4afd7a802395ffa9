import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatRelative, formatTime } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import type { Activation } from './activation-queries.ts';

/** Whether an activation holds its seat, else why it has ended. */
export function ActivationState({ activation: { ended_as: as, is_stale } }: { activation: Activation }) {
  const { t } = useTranslation('activations');
  const { t: seats } = useTranslation('seats');
  if (as === 'deactivated') return <StatusBadge tone="neutral">{seats(`endedAs.${as}`)}</StatusBadge>;
  if (as === null && !is_stale) return <StatusBadge tone="good">{t('valid')}</StatusBadge>;
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={as === null ? 'warning' : 'neutral'}>
        {as === null ? t('stale') : seats(`endedAs.${as}`)}
      </StatusBadge>
      <Text size="xs" c="dimmed" maw={200}>
        {as === null ? t('staleNote') : seats(`endedNote.${as}`)}
      </Text>
    </Stack>
  );
}

/** Shows until when an activation holds its seat. */
export function SeatText({ activation }: { activation: Activation }) {
  const { t } = useTranslation('activations');
  const { ended_as, seat_expires_at: at, is_floating, is_borrowed } = activation;
  if (ended_as !== null) return <span>–</span>;
  if (at === null) return <span>{t(is_floating ? 'nextCheck' : 'nodeLocked')}</span>;
  return (
    <time dateTime={`${at.replace(' ', 'T')}Z`} title={`${formatTime(at)} · ${at} UTC`}>
      {is_borrowed ? t('borrowed', { at: formatTime(at) }) : t('lapses', { when: formatRelative(at) })}
    </time>
  );
}
