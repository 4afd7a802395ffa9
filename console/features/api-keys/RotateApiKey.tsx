import { Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import {
  type ApiKey,
  GRACES,
  type Grace,
  type MadeApiKey,
  makesEndpoints,
  useRotateApiKey,
} from './queries.ts';

interface Props {
  /** Null while the dialog is closed. */
  apiKey: ApiKey | null;
  onClose: () => void;
  onMade: (made: MadeApiKey) => void;
}

export function RotateApiKey({ apiKey, onClose, onMade }: Props) {
  const { t } = useTranslation('apiKeys');
  const [grace, setGrace] = useState<Grace>('7d');
  const { mutate, reset, ...sent } = useRotateApiKey();
  const [shown, setShown] = useState(apiKey);
  useEffect(() => {
    if (!apiKey) return;
    // Keep the name during the closing transition.
    setShown(apiKey);
    setGrace('7d');
    reset();
  }, [apiKey, reset]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!apiKey) return;
    mutate(
      { id: apiKey.id, grace },
      {
        onSuccess: (made) => {
          onClose();
          onMade(made);
        },
      },
    );
  };
  const name = shown?.description || t('untitled', { id: shown?.id });
  return (
    <FormDialog
      isOpen={apiKey !== null}
      onClose={onClose}
      title={t('rotate.title', { name })}
      onSubmit={submit}
      action={t('rotate.submit')}
      sent={sent}
    >
      <Text size="sm">{t('rotate.body')}</Text>
      <Radio.Group label={t('rotate.grace')} value={grace} onChange={(value) => setGrace(value as Grace)}>
        <Stack gap="xs" mt="xs">
          {GRACES.map((one) => (
            <Radio key={one} value={one} label={t(`rotate.graces.${one}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {grace === '0' && shown && makesEndpoints(shown) && <Text size="sm">{t('revoke.endpoints')}</Text>}
    </FormDialog>
  );
}
