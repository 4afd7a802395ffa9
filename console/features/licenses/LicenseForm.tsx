import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { useSession } from '../../app/session.ts';
import { answer, api, ifMatch } from '../../client/api.ts';
import { fieldErrors, isOfFields } from '../../client/errors.ts';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { useSaveMerged } from '../../ui/forms/conflicts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { changesOf } from '../../ui/forms/form-values.ts';
import { type TermsValues, termsValuesOf } from '../../ui/licenses/license-terms.ts';
import { LicenseFields } from './LicenseFields.tsx';
import { localOf, utcOf } from './local-time.ts';
import type { License } from './queries.ts';

interface Props {
  license: License;
  onClose: () => void;
}

type Values = Record<
  | 'license_key'
  | 'status'
  | 'expires_at'
  | 'valid_for'
  | 'activations_limit'
  | 'order_id'
  | 'product_id'
  | 'user_id',
  string | number
> &
  TermsValues;

const valuesOf = (license: License): Values => ({
  license_key: license.license_key,
  status: String(license.status),
  expires_at: localOf(license.expires_at),
  valid_for: license.valid_for,
  activations_limit: license.activations_limit,
  order_id: license.order_id ?? '',
  product_id: license.product_id ?? '',
  user_id: license.user_id ?? '',
  ...termsValuesOf(license),
});

/** Edits a license. */
export function LicenseForm({ license, onClose }: Props) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const form = useForm<Values>({ mode: 'uncontrolled', initialValues: valuesOf(license) });
  const params = { path: { license_id: license.id } };
  const saveMerged = useSaveMerged({
    kind: 'license',
    record: license,
    load: () => answer(api.GET('/licenses/{license_id}', { params })),
    send: (body, etag) =>
      answer(api.PATCH('/licenses/{license_id}', { params, body, headers: ifMatch(etag) })),
  });
  const save = useMutation({
    mutationFn: saveMerged,
    onSuccess: async (saved) => {
      if (saved) {
        doneToast(t('saved'));
        onClose();
      }
      await licensesChanged();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  // Send only the changed fields: keep others' concurrent changes, and the seconds that the form does not show.
  const submit = form.onSubmit((values) => {
    const changes = Object.entries(changesOf(form.getInitialValues(), values));
    if (changes.length === 0) return onClose();
    save.mutate(
      Object.fromEntries(
        changes.map(([name, value]) => [
          name,
          name === 'expires_at' ? utcOf(String(value)) : value === '' ? null : value,
        ]),
      ),
    );
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('edit')}
      onSubmit={submit}
      action={t('save', { ns: 'common' })}
      isSending={save.isPending}
      error={isOfFields(save.error, form.getValues()) ? null : save.error}
      asDrawer
    >
      {can('licenses.keys') && (
        <TextInput
          label={t('form.key')}
          description={t('form.keyHint')}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('license_key')}
        />
      )}
      <LicenseFields inputProps={(name) => form.getInputProps(name)} />
    </FormDialog>
  );
}
