import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { useSession } from '../../app/session.ts';
import { answer, api } from '../../client/api.ts';
import { ApiError, fieldErrors, isOfFields } from '../../client/errors.ts';
import { messageOf } from '../../ui/feedback/error-text.ts';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { DEFAULT_TERMS, TERM_NAMES } from '../../ui/licenses/license-terms.ts';
import { LicenseFields } from './LicenseFields.tsx';
import { utcOf } from './local-time.ts';
import { generatorChoiceQuery } from './queries.ts';

const EMPTY = {
  license_key: '',
  generator_id: '',
  status: '3',
  expires_at: '',
  valid_for: 0 as number | string,
  activations_limit: 1 as number | string,
  order_id: '' as number | string,
  product_id: '' as number | string,
  user_id: '' as number | string,
  ...DEFAULT_TERMS,
};

/** The source of the key. */
type Way = 'own' | 'generated' | 'many';

/**
 * Creates one license with an entered or generated key and opens it, or leads to a generator to create many.
 */
export function CreateLicense({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('licenses');
  const navigate = useNavigate();
  const { can } = useSession();
  const [way, setWay] = useState<Way>('own');
  const generators = useQuery(generatorChoiceQuery);
  const form = useForm({ mode: 'uncontrolled', initialValues: EMPTY });
  const create = useMutation({
    mutationFn: (body: object) => answer(api.POST('/licenses', { body: body as never })),
    onSuccess: async ({ id }) => {
      doneToast(t('form.created'));
      await navigate({ to: '/licenses/$id', params: { id: String(id) }, replace: true });
      await licensesChanged();
    },
    onError: (error) => {
      // Show a duplicate key at its field too.
      const isTaken = way === 'own' && error instanceof ApiError && error.status === 409;
      form.setErrors(isTaken ? { license_key: messageOf(error) } : fieldErrors(error));
    },
  });
  const submit = form.onSubmit(({ license_key, generator_id, expires_at, ...values }) => {
    const missing = way === 'own' ? { license_key } : { generator_id };
    const errors = Object.entries(missing).filter(([, value]) => value === '');
    if (errors.length > 0)
      return form.setErrors(Object.fromEntries(errors.map(([name]) => [name, t('form.required')])));
    if (way === 'many') {
      const search = { generate: Number(generator_id) };
      return void navigate({ to: '/generators', search, replace: true });
    }
    const ofGenerator =
      way === 'generated' && Object.fromEntries(TERM_NAMES.map((name) => [name, undefined]));
    create.mutate({ ...values, ...ofGenerator, ...missing, expires_at: utcOf(expires_at) });
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('create')}
      onSubmit={submit}
      action={t(way === 'many' ? 'form.next' : 'create')}
      isSending={create.isPending}
      error={'license_key' in form.errors || isOfFields(create.error, form.getValues()) ? null : create.error}
      asDrawer
    >
      <SegmentedControl
        aria-label={t('form.way')}
        fullWidth
        value={way}
        onChange={(chosen) => setWay(chosen as Way)}
        data={[
          { value: 'own', label: t('form.ownKey') },
          { value: 'generated', label: t('form.generatedKey') },
          ...(can('licenses.generate') ? [{ value: 'many', label: t('form.many') }] : []),
        ]}
      />
      {way === 'own' ? (
        <TextInput
          key="own"
          label={t('form.key')}
          description={t('form.keyHint')}
          required
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('license_key')}
        />
      ) : (
        <Select
          key="generated"
          label={t('form.generator')}
          description={t(way === 'many' ? 'form.manyHint' : 'form.generatedHint')}
          required
          data={(generators.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          nothingFoundMessage={t('form.noGenerators')}
          searchable
          {...form.getInputProps('generator_id')}
        />
      )}
      {way !== 'many' && (
        <LicenseFields
          inputProps={(name) => form.getInputProps(name)}
          validForHint={t('form.validForHint')}
          hasTerms={way === 'own'}
        />
      )}
    </FormDialog>
  );
}
