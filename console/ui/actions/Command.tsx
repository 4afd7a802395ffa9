import { Code, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './CopyButton.tsx';

/** A command for a terminal, with a button to copy it. */
export function Command({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text} label={t('copyCommand')} />
    </Group>
  );
}
