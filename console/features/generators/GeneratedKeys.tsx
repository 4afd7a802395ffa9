import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { Download } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { csvCell } from '../../ui/csv.ts';
import { announce } from '../../ui/feedback/announce.tsx';
import { formatNumber } from '../../ui/format.ts';
import { saveText } from '../../ui/forms/save.ts';
import type { Made } from './use-generate.ts';

/** The most keys shown, because more lines make the field slow. Copy and download include all keys. */
const SHOWN_MAX = 2_000;

interface Props {
  made: Made;
  /** The name of the generator. */
  name: string;
  onClose: () => void;
}

/** The generated keys, with copy and download. */
export function GeneratedKeys({ made: { keys, saved, count }, name, onClose }: Props) {
  const { t } = useTranslation('generators');
  const summary = t(saved ? 'generate.saved' : 'generate.made', { count, number: formatNumber(count) });
  useEffect(() => announce(summary), [summary]);
  const csv = () => `license_key\r\n${keys.map(csvCell).join('\r\n')}\r\n`;
  return (
    <Stack>
      <Text fw={600}>{summary}</Text>
      {!saved && (
        <Text size="sm" c="dimmed">
          {t('generate.notSaved')}
        </Text>
      )}
      <Textarea
        label={t('generate.keys')}
        description={
          keys.length > SHOWN_MAX
            ? t('generate.first', { count: SHOWN_MAX, number: formatNumber(SHOWN_MAX) })
            : undefined
        }
        readOnly
        autosize
        minRows={3}
        maxRows={12}
        data-autofocus
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={keys.slice(0, SHOWN_MAX).join('\n')}
      />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <CopyButton value={keys.join('\n')} label={t('generate.copyAll')} withText />
          <Button
            variant="default"
            leftSection={<Download size={16} />}
            onClick={() => saveText(`${fileNameOf(name)}.csv`, csv(), 'text/csv')}
          >
            {t('generate.csv')}
          </Button>
        </Group>
        <Button onClick={onClose}>{t('close')}</Button>
      </Group>
    </Stack>
  );
}

const fileNameOf = (name: string): string =>
  `keys-${name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)}`;
