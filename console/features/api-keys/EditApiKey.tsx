import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { submitting } from '../../ui/forms/submitting.ts';
import { ApiKeyFields } from './ApiKeyFields.tsx';
import { changedInput, valuesOf } from './api-key-values.ts';
import { type ApiKey, type Endpoint, useSaveApiKey } from './queries.ts';
import { useApiKeyForm } from './use-api-key-form.ts';

interface Props {
  apiKey: ApiKey;
  onClose: () => void;
  endpoints: readonly Endpoint[];
  clientEndpoints: readonly Endpoint[];
}

export function EditApiKey({ apiKey, onClose, endpoints, clientEndpoints }: Props) {
  const { t } = useTranslation('apiKeys');
  // The list may fetch a later version while the form is open, so keep the one that was opened.
  const [before] = useState(() => valuesOf(apiKey, clientEndpoints));
  const form = useApiKeyForm(before);
  const save = useSaveApiKey(apiKey);
  const submit = submitting(form, async (values) => {
    const changes = changedInput(before, values, clientEndpoints);
    if (Object.keys(changes).length === 0) return onClose();
    if (!(await save.mutateAsync(changes))) return;
    onClose();
    doneToast(t('edit.done'));
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('editTitle', { name: apiKey.description || t('untitled', { id: apiKey.id }) })}
      onSubmit={submit}
      action={t('saveChanges')}
      sent={save}
      fields={form.getValues()}
      asDrawer
    >
      <ApiKeyFields form={form} endpoints={endpoints} />
    </FormDialog>
  );
}
