import { Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';

/** Shows the progress of an upload. @param sent the uploaded share, from 0 to 1 */
export function UploadProgress({ sent }: { sent: number }) {
  const { t } = useTranslation('software');
  return (
    <Stack gap={4}>
      <Progress value={Math.round(sent * 100)} aria-label={t('publish.progress')} />
      <Text size="sm" c="dimmed">
        {sent < 1
          ? t('publish.sent', { percent: formatNumber(sent, { style: 'percent' }) })
          : t('publish.storing')}
      </Text>
    </Stack>
  );
}
