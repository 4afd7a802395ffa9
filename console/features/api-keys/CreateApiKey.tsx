import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { submitting } from '../../ui/forms/submitting.ts';
import { ApiKeyFields } from './ApiKeyFields.tsx';
import { inputOf, NEW } from './api-key-values.ts';
import { type Endpoint, type MadeApiKey, useCreateApiKey } from './queries.ts';
import { useApiKeyForm } from './use-api-key-form.ts';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  endpoints: readonly Endpoint[];
  clientEndpoints: readonly Endpoint[];
  onMade: (made: MadeApiKey) => void;
}

export function CreateApiKey({ isOpen, onClose, endpoints, clientEndpoints, onMade }: Props) {
  const { t } = useTranslation('apiKeys');
  const form = useApiKeyForm(NEW);
  const { mutateAsync, reset: forget, ...sent } = useCreateApiKey();
  const { reset } = form;
  useEffect(() => {
    if (!isOpen) return;
    reset();
    forget();
  }, [isOpen, reset, forget]);

  const submit = submitting(form, async (values) => {
    const made = await mutateAsync(inputOf(values, clientEndpoints));
    onClose();
    onMade(made);
  });
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('create')}
      onSubmit={submit}
      action={t('create')}
      sent={sent}
      fields={form.getValues()}
      asDrawer
    >
      <ApiKeyFields form={form} endpoints={endpoints} />
    </FormDialog>
  );
}
