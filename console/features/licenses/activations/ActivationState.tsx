import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatRelative, formatTime } from '../../../ui/format.ts';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';
import type { Activation } from './activation-queries.ts';

/** Whether an activation is of use, else why not: its license is disabled or expired, or it has lost its seat. */
export function ActivationState({ activation }: { activation: Activation }) {
  const { t } = useTranslation('activations');
  const { t: seats } = useTranslation('seats');
  const { ended_as: as, license_refusal: refusal, is_stale } = activation;
  if (as === 'deactivated') return <StatusBadge tone="neutral">{seats(`endedAs.${as}`)}</StatusBadge>;
  if (as !== null)
    return <Noted tone="neutral" badge={seats(`endedAs.${as}`)} note={seats(`endedNote.${as}`)} />;
  if (refusal !== null) {
    const tone = refusal === 'license_disabled' ? 'bad' : 'warning';
    return <Noted tone={tone} badge={t(`refused.${refusal}`)} note={t('refusedNote')} />;
  }
  if (is_stale) return <Noted tone="warning" badge={t('stale')} note={t('staleNote')} />;
  return <StatusBadge tone="good">{t('valid')}</StatusBadge>;
}

/** A status with a note below it. */
function Noted({ tone, badge, note }: { tone: Tone; badge: string; note: string }) {
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={tone}>{badge}</StatusBadge>
      <Text size="xs" c="dimmed" maw={200}>
        {note}
      </Text>
    </Stack>
  );
}

/** Shows until when an activation holds its seat. */
export function SeatText({ activation }: { activation: Activation }) {
  const { t } = useTranslation('activations');
  const { ended_as, seat_expires_at: at, is_floating, is_borrowed } = activation;
  if (ended_as !== null) return <span>–</span>;
  if (at === null && is_floating) return <span>{t('nextCheck')}</span>;
  if (at === null) return <span style={{ whiteSpace: 'nowrap' }}>{t('nodeLocked')}</span>;
  return (
    <time dateTime={`${at.replace(' ', 'T')}Z`} title={`${formatTime(at)} · ${at} UTC`}>
      {is_borrowed ? t('borrowed', { at: formatTime(at) }) : t('lapses', { when: formatRelative(at) })}
    </time>
  );
}
