import { Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatRelative } from '../../../ui/format.ts';
import { Time } from '../../../ui/Time.tsx';
import { placesText } from '../license-words.ts';
import type { License } from '../queries.ts';

/** Shows when a license expires, and how many of its seats are taken. */
export function LicenseSummary({ license }: { license: License }) {
  const { t } = useTranslation('licenses');
  const { expires_at: expires, is_expired, times_activated: taken, activations_limit: limit } = license;
  const isFull = limit > 0 && taken >= limit;
  return (
    <Group gap="8px 32px" align="flex-start">
      <Stack gap={2} mih={HEIGHT}>
        <Text fw={600} {...(is_expired && { c: 'light-dark(#9c3300, var(--mantine-color-orange-3))' })}>
          {expires === null
            ? t('neverExpires')
            : t(is_expired ? 'expiredAgo' : 'expiresIn', { when: formatRelative(expires) })}
        </Text>
        {expires !== null && (
          <Text size="sm" c="dimmed" component="div">
            <Time value={expires} />
          </Text>
        )}
      </Stack>
      <Stack gap={6} mih={HEIGHT} miw={180}>
        <Text fw={600}>
          {t('seatsTaken')}: {placesText(license, t)}
        </Text>
        {limit > 0 && (
          <Progress
            value={Math.min(100, (taken / limit) * 100)}
            color={isFull ? 'orange' : 'verdigris'}
            size="sm"
            aria-hidden
          />
        )}
      </Stack>
    </Group>
  );
}

/** The height of two lines, in pixels. */
const HEIGHT = 46;

export const SummarySkeleton = () => <Skeleton height={HEIGHT} width={360} maw="100%" />;
