import { Radio, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrors, isOfFields } from '../../client/errors.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { EndpointChoice } from './EndpointChoice.tsx';
import { type Endpoint, type MadeApiKey, type NewApiKey, useCreateApiKey } from './queries.ts';

const KINDS = ['all', 'client', 'some'] as const;
const PERMISSIONS = ['read', 'write', 'read_write'] as const;

interface Values {
  description: string;
  kind: (typeof KINDS)[number];
  permission: (typeof PERMISSIONS)[number];
  endpoints: Endpoint[];
  products: string[];
  /** YYYY-MM-DD */
  expires_at: string;
}

interface Props {
  isOpen: boolean;
  onClose: () => void;
  endpoints: readonly Endpoint[];
  clientEndpoints: readonly Endpoint[];
  onMade: (made: MadeApiKey) => void;
}

export function CreateApiKey({ isOpen, onClose, endpoints, clientEndpoints, onMade }: Props) {
  const { t } = useTranslation('apiKeys');
  const form = useForm<Values>({
    initialValues: {
      ...{ description: '', kind: 'all', permission: 'read_write' },
      ...{ endpoints: [], products: [], expires_at: '' },
    },
    validate: {
      endpoints: (chosen, { kind }) => (kind === 'some' && chosen.length === 0 ? t('form.chooseOne') : null),
      products: (products) => {
        const wrong = products.find((one) => !/^[0-9]+$/.test(one));
        return wrong === undefined ? null : t('form.notANumber', { value: wrong });
      },
    },
  });
  const { mutate, reset: forget, error, isPending } = useCreateApiKey();
  const { reset } = form;
  useEffect(() => {
    if (!isOpen) return;
    reset();
    forget();
  }, [isOpen, reset, forget]);
  const { kind } = form.values;

  const submit = form.onSubmit((values) =>
    mutate(inputOf(values, clientEndpoints), {
      onSuccess: (made) => {
        onClose();
        onMade(made);
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    }),
  );
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('create')}
      onSubmit={submit}
      action={t('create')}
      isSending={isPending}
      error={isOfFields(error, form.getValues()) ? null : error}
      asDrawer
    >
      <TextInput
        label={t('form.description')}
        description={t('form.descriptionHelp')}
        maxLength={255}
        data-autofocus
        {...form.getInputProps('description')}
      />
      <Radio.Group label={t('kind.label')} {...form.getInputProps('kind')}>
        <Stack gap="xs" mt="xs">
          {KINDS.map((one) => (
            <Radio key={one} value={one} label={t(`kind.${one}`)} description={t(`kind.${one}Help`)} />
          ))}
        </Stack>
      </Radio.Group>
      {kind !== 'client' && (
        <Select
          label={t('form.permission')}
          data={PERMISSIONS.map((value) => ({ value, label: t(`permission.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('permission')}
        />
      )}
      {kind === 'some' && (
        <EndpointChoice
          all={endpoints}
          chosen={form.values.endpoints}
          onChange={(chosen) => form.setFieldValue('endpoints', chosen)}
          error={form.errors.endpoints as string | undefined}
        />
      )}
      <TagsInput
        label={t('form.products')}
        description={t('form.productsHelp')}
        inputMode="numeric"
        acceptValueOnBlur
        {...form.getInputProps('products')}
      />
      <TextInput
        type="date"
        label={t('form.expires')}
        description={t('form.expiresHelp')}
        min={new Date().toISOString().slice(0, 10)}
        {...form.getInputProps('expires_at')}
      />
    </FormDialog>
  );
}

const inputOf = (
  { description, kind, permission, endpoints, products, expires_at }: Values,
  clientEndpoints: readonly Endpoint[],
): NewApiKey => ({
  description,
  permission: kind === 'client' ? 'read' : permission,
  ...(kind === 'client' && { endpoints: [...clientEndpoints] }),
  ...(kind === 'some' && { endpoints }),
  ...(products.length > 0 && { products }),
  ...(expires_at && { expires_at: `${expires_at} 23:59:59` }),
});
