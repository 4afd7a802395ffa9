import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { submitting } from '../../ui/forms/submitting.ts';
import { ApiKeyFields } from './ApiKeyFields.tsx';
import { changedInput, inputOf, NEW, valuesOf } from './api-key-values.ts';
import { type ApiKey, type Endpoint, type MadeApiKey, useCreateApiKey, useSaveApiKey } from './queries.ts';
import { useApiKeyForm } from './use-api-key-form.ts';

interface Props {
  /** Null to create an API key. */
  apiKey: ApiKey | null;
  isOpen?: boolean;
  onClose: () => void;
  endpoints: readonly Endpoint[];
  clientEndpoints: readonly Endpoint[];
  onMade?: (made: MadeApiKey) => void;
}

export function ApiKeyForm({ apiKey, isOpen = true, onClose, endpoints, clientEndpoints, onMade }: Props) {
  const { t } = useTranslation('apiKeys');
  // The list may fetch a later version while the form is open, so keep the one that was opened.
  const [before] = useState(() => (apiKey ? valuesOf(apiKey, clientEndpoints) : NEW));
  const form = useApiKeyForm(before);
  const create = useCreateApiKey();
  const save = useSaveApiKey(apiKey);
  const { reset } = form;
  const { reset: forget } = create;
  useEffect(() => {
    if (!isOpen) return;
    reset();
    forget();
  }, [isOpen, reset, forget]);

  const submit = submitting(form, async (values) => {
    if (apiKey) {
      const changes = changedInput(before, values, clientEndpoints);
      if (Object.keys(changes).length === 0) return onClose();
      if (!(await save.mutateAsync(changes))) return;
      onClose();
      doneToast(t('edit.done'));
    } else {
      const made = await create.mutateAsync(inputOf(values, clientEndpoints));
      onClose();
      onMade?.(made);
    }
  });
  const name = apiKey?.description || t('untitled', { id: apiKey?.id });
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={apiKey ? t('editTitle', { name }) : t('create')}
      onSubmit={submit}
      action={apiKey ? t('saveChanges') : t('create')}
      sent={apiKey ? save : create}
      fields={form.getValues()}
      asDrawer
    >
      <ApiKeyFields form={form} endpoints={endpoints} />
    </FormDialog>
  );
}
