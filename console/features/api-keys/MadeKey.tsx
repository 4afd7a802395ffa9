import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Command } from '../../ui/actions/Command.tsx';
import { formatTime } from '../../ui/format.ts';
import { OnceDialog } from '../../ui/once/OnceDialog.tsx';
import { SecretOnce } from '../../ui/once/SecretOnce.tsx';
import type { MadeApiKey } from './queries.ts';

interface Props {
  made: MadeApiKey | null;
  /** Base URL of the v1 API. */
  apiRoot: string;
  onClose: () => void;
}

/** Shows a new key and its secret once. Only the button closes the dialog. */
export function MadeKey({ made, apiRoot, onClose }: Props) {
  const { t } = useTranslation('apiKeys');
  return (
    <OnceDialog opened={made !== null} onClose={onClose} title={t('made.title')} size="lg">
      {made && <Shown made={made} apiRoot={apiRoot} onClose={onClose} />}
    </OnceDialog>
  );
}

function Shown({ made, apiRoot, onClose }: Omit<Props, 'made'> & { made: MadeApiKey }) {
  const { t } = useTranslation('apiKeys');
  const { api_key: apiKey, consumer_key: key, consumer_secret: secret, replaced } = made;
  const mayList = apiKey.permission !== 'write' && (apiKey.endpoints?.includes('licenses.list') ?? true);
  const command = `curl -u ${key}:${secret} ${apiRoot}/licenses${mayList ? '' : '/activate/LICENSE-KEY'}`;
  return (
    <Stack>
      <SecretOnce
        title={apiKey.description || t('untitled', { id: apiKey.id })}
        secrets={{ [t('made.key')]: key, [t('made.secret')]: secret }}
        fileName={`latchkey-api-key-${apiKey.id}.txt`}
      />
      <div>
        <Text size="sm" fw={600}>
          {t('made.try')}
        </Text>
        <Command text={command} />
      </div>
      {replaced && (
        <Text size="sm">
          {replaced.revoked_at === null && replaced.expires_at !== null
            ? t('made.replaced', { ending: replaced.key_ending, time: formatTime(replaced.expires_at) })
            : t('made.ended', { ending: replaced.key_ending })}
        </Text>
      )}
      {replaced?.is_of_settings && (
        <Alert color="orange" variant="light">
          {t('made.settings')}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('done')}</Button>
      </Group>
    </Stack>
  );
}
