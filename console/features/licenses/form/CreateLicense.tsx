import { useForm } from '@mantine/form';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { answer, api, type Body } from '../../../client/api.ts';
import { ApiError, fieldErrors, isOfFields } from '../../../client/errors.ts';
import { useAction } from '../../../ui/actions/use-action.ts';
import { useConfirm } from '../../../ui/feedback/confirm.tsx';
import { messageOf } from '../../../ui/feedback/error-text.ts';
import { doneToast } from '../../../ui/feedback/toasts.tsx';
import { FormDialog } from '../../../ui/forms/FormDialog.tsx';
import { DEFAULT_TERMS, TERM_NAMES } from '../../../ui/licenses/license-terms.ts';
import { generatorChoiceQuery } from '../queries.ts';
import { EXPIRY_FIELDS, type ExpiryValues, expiryErrors, lacksDate, newExpiry } from './expiry.ts';
import { hasOuterSpace, useKeepsSpace } from './KeyField.tsx';
import { KeySource, type Way } from './KeySource.tsx';
import { LicenseFields } from './LicenseFields.tsx';

const EMPTY = {
  license_key: '',
  generator_id: '',
  status: '3',
  /** The generator's days, or never with a key that the user enters, until the user chooses another. */
  expiry: 'generator' as ExpiryValues['expiry'],
  date: '',
  /** Null until the user changes it. Empty to use the generator's limit. */
  activations_limit: null as number | string | null,
  order_id: '' as number | string,
  product_id: '' as number | string,
  user_id: '' as number | string,
  customer_email: '',
  ...DEFAULT_TERMS,
};
/** The default seats of a license whose key the user enters. */
const SEATS = 1;

/**
 * Creates one license, with a generated key or a key that the user enters, and opens it. To create many, it leads to a
 * generator. The generator that was last used is preselected.
 */
export function CreateLicense({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('licenses');
  const navigate = useNavigate();
  const confirm = useConfirm();
  const keepsSpace = useKeepsSpace();
  const [chosen, setChosen] = useState<Way | null>(null);
  const [usual, setUsual] = useLocalStorage<string>({
    key: 'latchkey-generator',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const { data, isSuccess } = useQuery(generatorChoiceQuery);
  const generators = data?.items ?? [];
  const way: Way = chosen ?? (isSuccess && generators.length === 0 ? 'own' : 'generated');
  const form = useForm({ mode: 'controlled', initialValues: EMPTY });
  const values = form.getValues();
  const preset = generators.find(({ id }) => String(id) === usual) ?? generators[0];
  const generatorId = values.generator_id || String(preset?.id ?? '');
  const generator = generators.find(({ id }) => String(id) === generatorId);
  const isOwn = way === 'own';
  const expiry: ExpiryValues = {
    expiry: isOwn && values.expiry === 'generator' ? 'never' : values.expiry,
    date: values.date,
  };
  const shown = { generator_id: generatorId, expiry: expiry.expiry };
  const limit = values.activations_limit ?? (isOwn ? SEATS : '');
  const inputProps = (name: keyof typeof EMPTY) => ({
    ...form.getInputProps(name),
    ...(name in shown && { value: shown[name as keyof typeof shown] }),
    ...(name === 'activations_limit' && { value: limit }),
  });
  const create = useAction({
    mutationFn: (body: Body<'createLicense'>) => answer(api.POST('/licenses', { body })),
    onSuccess: async ({ id }) => {
      if (way === 'generated') setUsual(generatorId);
      doneToast(t('form.created'));
      await navigate({ to: '/licenses/$id', params: { id: String(id) }, replace: true });
      await licensesChanged();
    },
    onError: (error) => {
      // Show a duplicate key at its field too.
      const isTaken = isOwn && error instanceof ApiError && error.status === 409;
      form.setErrors(isTaken ? { license_key: messageOf(error) } : expiryErrors(fieldErrors(error)));
    },
  });
  const submit = form.onSubmit(async ({ license_key, expiry: _, date, ...rest }) => {
    const missing = {
      ...(isOwn && license_key === '' && { license_key: t('form.required') }),
      ...(isOwn && limit === '' && { activations_limit: t('form.required') }),
      ...(!isOwn && generatorId === '' && { generator_id: t('form.required') }),
      ...(way !== 'many' && lacksDate({ ...expiry, date }) && { date: t('form.required') }),
    };
    if (Object.keys(missing).length > 0) return form.setErrors(missing);
    if (way === 'many') {
      const search = { generate: Number(generatorId) };
      return void navigate({ to: '/generators', search, replace: true });
    }
    if (isOwn && hasOuterSpace(license_key) && !(await confirm(keepsSpace))) return;
    const ofGenerator = isOwn ? {} : Object.fromEntries(TERM_NAMES.map((name) => [name, undefined]));
    create.mutate({
      ...rest,
      ...ofGenerator,
      ...newExpiry(expiry),
      ...(isOwn ? { license_key, generator_id: undefined } : { generator_id: generatorId }),
      activations_limit: limit === '' ? undefined : limit,
    });
  });
  const choose = (other: Way) => {
    form.clearErrors();
    setChosen(other);
  };
  const isKnown = 'license_key' in form.errors || isOfFields(create.error, { ...values, ...EXPIRY_FIELDS });
  return (
    <FormDialog
      onClose={onClose}
      title={t('create')}
      onSubmit={submit}
      action={t(way === 'many' ? 'form.next' : 'create')}
      sent={{ ...create, error: isKnown ? null : create.error }}
      asDrawer
    >
      <KeySource way={way} onChoose={choose} generators={generators} inputProps={inputProps} />
      {way !== 'many' && (
        <LicenseFields
          // A new `key` replaces the fields: the other defaults are no user input, and `useDiscard` must not take them for
          // changes.
          key={way}
          inputProps={inputProps}
          generator={isOwn ? undefined : (generator ?? NO_GENERATOR)}
        />
      )}
    </FormDialog>
  );
}

const NO_GENERATOR = { activations_limit: 0, expires_in: 0 };
