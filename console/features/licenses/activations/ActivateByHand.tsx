import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { useSession } from '../../../app/session.ts';
import { fieldErrors } from '../../../client/errors.ts';
import { FormDialog } from '../../../ui/forms/FormDialog.tsx';
import { formValues } from '../../../ui/forms/form-values.ts';
import { OnceDialog } from '../../../ui/once/OnceDialog.tsx';
import { SecretOnce } from '../../../ui/once/SecretOnce.tsx';
import { activateByHand } from './activation-queries.ts';

/** A button that activates a license for a device, and shows the token of the activation once. */
export function ActivateByHand({ licenseId }: { licenseId: number }) {
  const { t } = useTranslation('activations');
  const { can } = useSession();
  const [isOpen, setOpen] = useState(false);
  const sent = useMutation({
    mutationFn: (label: string) => activateByHand(licenseId, label),
    onSuccess: () => setOpen(false),
    onSettled: licensesChanged,
  });
  if (!can('licenses.write')) return null;
  const errors = fieldErrors(sent.error);
  const made = sent.data;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<MonitorSmartphone size={14} />}
        onClick={() => {
          sent.reset();
          setOpen(true);
        }}
      >
        {t('byHand.open')}
      </Button>
      <FormDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('byHand.open')}
        action={t('byHand.action')}
        sent={sent}
        fields={{ label: null }}
        onSubmit={(event) => sent.mutate(formValues(event).label ?? '')}
      >
        <Text size="sm">{t('byHand.body')}</Text>
        <TextInput
          label={t('label')}
          description={t('byHand.labelHint')}
          name="label"
          maxLength={255}
          autoComplete="off"
          data-autofocus
          error={errors.label}
        />
      </FormDialog>
      <OnceDialog opened={made !== undefined} onClose={() => sent.reset()} title={t('byHand.done')}>
        {made && (
          <Stack>
            <SecretOnce
              title={made.activation.label ?? t('noLabel')}
              secrets={{ [t('byHand.token')]: made.token }}
              fileName={`activation-${made.activation.id}.txt`}
            />
            <Button onClick={() => sent.reset()} style={{ alignSelf: 'flex-end' }}>
              {t('done')}
            </Button>
          </Stack>
        )}
      </OnceDialog>
    </>
  );
}
