import { Radio, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { EXACT_TEXT } from '../../ui/forms/exact-text.ts';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { submitting } from '../../ui/forms/submitting.ts';
import { ProductChoice } from '../../ui/products/ProductChoice.tsx';
import { EventChoice } from './EventChoice.tsx';
import { changedInput, filledOf, inputOf, KINDS, NEW, type Values, valuesOf } from './endpoint-values.ts';
import { HeaderFields } from './HeaderFields.tsx';
import {
  type Endpoint,
  endpointsQuery,
  type MadeEndpoint,
  useCreateEndpoint,
  useSaveEndpoint,
} from './queries.ts';
import { titleOf } from './words.ts';

interface Props {
  /** Null to create an endpoint. */
  endpoint: Endpoint | null;
  onClose: () => void;
  onMade?: (made: MadeEndpoint) => void;
}

export function EndpointForm({ endpoint, onClose, onMade }: Props) {
  const { t } = useTranslation('events');
  const { data } = useQuery(endpointsQuery);
  const form = useEndpointForm(endpoint ? valuesOf(endpoint) : NEW);
  const create = useCreateEndpoint();
  const save = useSaveEndpoint(endpoint);
  const submit = submitting(form, async (values) => {
    if (endpoint) {
      const changes = changedInput(form.getInitialValues(), values);
      if (Object.keys(changes).length > 0 && !(await save.mutateAsync(changes))) return;
      doneToast(t('form.saved'));
      onClose();
    } else {
      const made = await create.mutateAsync(inputOf(values));
      onClose();
      onMade?.(made);
    }
  });
  const { kind, types, products, headers } = form.values;
  return (
    <FormDialog
      onClose={onClose}
      title={endpoint ? t('editTitle', { name: titleOf(t, endpoint) }) : t('form.createTitle')}
      onSubmit={submit}
      action={endpoint ? t('saveChanges') : t('create')}
      sent={endpoint ? save : create}
      fields={form.values}
      asDrawer
    >
      {endpoint === null && (
        <Radio.Group label={t('form.kind')} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt="xs">
            {KINDS.map((one) => (
              <Radio key={one} value={one} label={t(`kind.${one}`)} description={t(`form.${one}Help`)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {kind === 'webhook' && (
        <TextInput
          label={t('form.url')}
          description={t('form.urlHelp')}
          placeholder="https://crm.example.com/hooks/latchkey"
          type="url"
          inputMode="url"
          required
          {...EXACT_TEXT}
          maxLength={2_048}
          data-autofocus
          {...form.getInputProps('url')}
        />
      )}
      <TextInput
        label={t('form.description')}
        description={t('form.descriptionHelp')}
        maxLength={255}
        {...form.getInputProps('description')}
      />
      <EventChoice
        all={data?.types ?? []}
        chosen={types}
        onChange={(chosen) => form.setFieldValue('types', chosen)}
        error={form.errors.types}
      />
      <ProductChoice
        legend={t('column.products')}
        chosen={products}
        onChange={(chosen) => form.setFieldValue('products', chosen)}
        error={form.errors.products}
      />
      {kind === 'webhook' && (
        <>
          <Switch
            label={t('form.isOrdered')}
            description={t('form.isOrderedHelp')}
            {...form.getInputProps('is_ordered', { type: 'checkbox' })}
          />
          <HeaderFields
            present={endpoint?.header_names ?? []}
            headers={headers}
            onChange={(changed) => form.setFieldValue('headers', changed)}
            error={form.errors.headers}
          />
        </>
      )}
      <Switch
        label={t('form.isEnabled')}
        description={t('form.isEnabledHelp')}
        {...form.getInputProps('is_enabled', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}

function useEndpointForm(initialValues: Values) {
  const { t } = useTranslation(['events', 'products', 'errors']);
  return useForm<Values>({
    mode: 'controlled',
    initialValues,
    validate: {
      url: (url, { kind }) => (kind === 'webhook' && url.trim() === '' ? t('errors:required') : null),
      types: (chosen) => (chosen?.length === 0 ? t('products:chooseOne') : null),
      products: (chosen) => (chosen?.length === 0 ? t('products:chooseOne') : null),
      headers(headers) {
        const names = filledOf(headers ?? []).map(({ name }) => name.toLowerCase());
        if (names.includes('')) return t('events:headers.nameMissing');
        return new Set(names).size < names.length ? t('events:headers.twice') : null;
      },
    },
  });
}
