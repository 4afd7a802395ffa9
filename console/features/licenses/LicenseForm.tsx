import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { answer, api } from '../../client/api.ts';
import { fieldErrors } from '../../client/errors.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { STATUSES } from '../../ui/license-status.ts';
import { doneToast } from '../../ui/toasts.tsx';
import { localOf, utcOf } from './local-time.ts';
import { type License, useLicensesChanged } from './queries.ts';

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
>;

const valuesOf = (license: License): Values => ({
  license_key: license.license_key,
  status: String(license.status),
  expires_at: localOf(license.expires_at),
  valid_for: license.valid_for,
  activations_limit: license.activations_limit,
  order_id: license.order_id ?? '',
  product_id: license.product_id ?? '',
  user_id: license.user_id ?? '',
});

/** Changes whatever of a license can be changed. */
export function LicenseForm({ license, onClose }: Props) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const changed = useLicensesChanged();
  const form = useForm<Values>({ mode: 'uncontrolled', initialValues: valuesOf(license) });
  const save = useMutation({
    mutationFn: (changes: object) =>
      answer(
        api.PATCH('/licenses/{license_id}', {
          params: { path: { license_id: license.id } },
          body: changes as never,
        }),
      ),
    onSuccess: async () => {
      doneToast(t('saved'));
      onClose();
      await changed();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  // Only what was changed: what somebody else changes meanwhile stays, and so does a second that is not shown.
  const submit = form.onSubmit((values) => {
    const before = valuesOf(license);
    const changes = Object.entries(values).filter(([name, value]) => value !== before[name as keyof Values]);
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
  const isOfField = Object.keys(fieldErrors(save.error)).length > 0;
  const ids = ['order_id', 'product_id', 'user_id'] as const;
  const labels = { order_id: t('form.order'), product_id: t('form.product'), user_id: t('form.customer') };
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('edit')}
      onSubmit={submit}
      action={t('save', { ns: 'common' })}
      isSending={save.isPending}
      error={isOfField ? null : save.error}
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
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
        <Select
          label={t('form.status')}
          data={STATUSES.map((status, i) => ({ value: String(i + 1), label: t(`status.${status}`) }))}
          allowDeselect={false}
          {...form.getInputProps('status')}
        />
        <TextInput
          type="datetime-local"
          label={t('form.expires')}
          description={t('form.expiresHint')}
          {...form.getInputProps('expires_at')}
        />
        <NumberInput
          label={t('form.limit')}
          description={t('form.limitHint')}
          min={0}
          allowDecimal={false}
          {...form.getInputProps('activations_limit')}
        />
        <NumberInput
          label={t('form.validFor')}
          min={0}
          allowDecimal={false}
          {...form.getInputProps('valid_for')}
        />
        {ids.map((name) => (
          <NumberInput
            key={name}
            label={labels[name]}
            min={0}
            allowDecimal={false}
            hideControls
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </FormDialog>
  );
}
