import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/actions/CopyButton.tsx';
import { formatTime } from '../../ui/format.ts';
import { OnceDialog } from '../../ui/once/OnceDialog.tsx';
import { SecretOnce } from '../../ui/once/SecretOnce.tsx';
import type { MadeEndpoint } from './queries.ts';
import { titleOf } from './words.ts';

interface Props {
  made: MadeEndpoint | null;
  title: string;
  onClose: () => void;
}

/** Shows a new secret once. Only the button closes the dialog. */
export function MadeSecret({ made, title, onClose }: Props) {
  return (
    <OnceDialog opened={made !== null} onClose={onClose} title={title} size="lg">
      {made && <Shown made={made} onClose={onClose} />}
    </OnceDialog>
  );
}

function Shown({ made: { endpoint, secret }, onClose }: { made: MadeEndpoint; onClose: () => void }) {
  const { t } = useTranslation('events');
  const { id, public_key, old_secret_until } = endpoint;
  return (
    <Stack>
      <SecretOnce
        title={titleOf(t, endpoint)}
        secrets={{ [t('secret.label')]: String(secret) }}
        fileName={`latchkey-event-endpoint-${id}.txt`}
      />
      <Text size="sm">{t('secret.verify')}</Text>
      {old_secret_until !== null && (
        <Text size="sm">{t('secret.overlap', { time: formatTime(old_secret_until) })}</Text>
      )}
      {public_key !== null && <PublicKey value={public_key} />}
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('done')}</Button>
      </Group>
    </Stack>
  );
}

/** The key with which a receiver verifies signatures without the secret. */
export function PublicKey({ value }: { value: string }) {
  const { t } = useTranslation('events');
  return (
    <div>
      <Text size="sm" fw={600}>
        {t('facts.publicKey')}
      </Text>
      <Group gap={4} wrap="nowrap">
        <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{value}</Code>
        <CopyButton value={value} label={t('facts.copyKey')} />
      </Group>
      <Text size="xs" c="dimmed">
        {t('facts.publicKeyHelp')}
      </Text>
    </div>
  );
}
