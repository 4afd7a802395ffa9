import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { Download, KeyRound } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../actions/CopyButton.tsx';
import { saveText } from '../forms/save.ts';

interface Props {
  title: string;
  /** The values by label: { 'Consumer key': 'ck_…', 'Consumer secret': 'cs_…' }. */
  secrets: Record<string, string>;
  /** The name of the downloaded file. */
  fileName: string;
}

/** Shows secrets that cannot be shown again, with buttons to copy and save them. */
export function SecretOnce({ title, secrets, fileName }: Props) {
  const { t } = useTranslation();
  const lines = Object.entries(secrets).map(([name, value]) => `${name}: ${value}`);
  return (
    <Alert color="orange" variant="light" icon={<KeyRound />} title={title}>
      <Stack gap="sm">
        <Text size="sm">{t('secret.once')}</Text>
        {Object.entries(secrets).map(([name, value]) => (
          <div key={name}>
            <Text size="xs" fw={600}>
              {name}
            </Text>
            <Group gap={4} wrap="nowrap">
              <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{value}</Code>
              <CopyButton value={value} label={t('secret.copy', { name })} />
            </Group>
          </div>
        ))}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<Download size={16} />}
            onClick={() => saveText(fileName, `${lines.join('\n')}\n`)}
          >
            {t('secret.save')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
