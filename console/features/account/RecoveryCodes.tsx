import { Button, Checkbox, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { saveText } from '../../ui/forms/save.ts';

/** Shows the recovery codes once. The user confirms having saved them. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useTranslation('account');
  const { user } = useSession();
  const [areKept, setKept] = useState(false);
  const text = codes.join('\n');
  return (
    <Stack>
      <Text size="sm">{t('codes.description')}</Text>
      <SimpleGrid
        cols={{ base: 1, xs: 2 }}
        spacing={4}
        component="ul"
        p={0}
        m={0}
        style={{ listStyle: 'none' }}
      >
        {codes.map((code) => (
          <li key={code}>
            <Code fz="sm">{code}</Code>
          </li>
        ))}
      </SimpleGrid>
      <Group gap="xs">
        <CopyButton value={text} label={t('codes.copy')} withText />
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          onClick={() =>
            saveText('latchkey-recovery-codes.txt', `${t('codes.file', { email: user.email })}\n\n${text}\n`)
          }
        >
          {t('codes.save')}
        </Button>
      </Group>
      <Checkbox
        label={t('codes.kept')}
        checked={areKept}
        onChange={(event) => setKept(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!areKept} onClick={onKept}>
          {t('done')}
        </Button>
      </Group>
    </Stack>
  );
}
