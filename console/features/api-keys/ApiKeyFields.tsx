import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldGroup } from '../../ui/forms/AllOrSome.tsx';
import { Select } from '../../ui/forms/choices.tsx';
import { GroupedChoice } from '../../ui/forms/GroupedChoice.tsx';
import { ProductChoice } from '../../ui/products/ProductChoice.tsx';
import { COMPATIBILITIES, KINDS, LMFWC_VERSIONS, NEW, PERMISSIONS } from './api-key-values.ts';
import type { Endpoint } from './queries.ts';
import type { ApiKeyForm } from './use-api-key-form.ts';

export function ApiKeyFields({ form, endpoints }: { form: ApiKeyForm; endpoints: readonly Endpoint[] }) {
  const { t } = useTranslation('apiKeys');
  const { kind } = form.values;
  return (
    <>
      <TextInput
        label={t('column.description')}
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
          label={t('column.permission')}
          data={PERMISSIONS.map((value) => ({ value, label: t(`permission.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('permission')}
        />
      )}
      {kind === 'some' && (
        <FieldGroup legend={t('column.endpoints')} error={form.errors.endpoints}>
          <GroupedChoice
            all={endpoints}
            chosen={form.values.endpoints}
            onChange={(chosen) => form.setFieldValue('endpoints', chosen)}
            nounLabel={(noun) => t(`noun.${noun}`)}
            label={(endpoint) => String(t(`endpoint.${endpoint}`))}
          />
        </FieldGroup>
      )}
      <ProductChoice
        legend={t('column.products')}
        chosen={form.values.products}
        onChange={(chosen) => form.setFieldValue('products', chosen)}
        error={form.errors.products}
      />
      <TextInput
        type="date"
        label={t('column.expires')}
        description={t('form.expiresHelp')}
        min={new Date().toISOString().slice(0, 10)}
        {...form.getInputProps('expires_at')}
      />
      <CompatibilityFields form={form} />
    </>
  );
}

/** The compatibility fields, which few keys need. They start collapsed unless the key differs from the defaults. */
function CompatibilityFields({ form }: { form: ApiKeyForm }) {
  const { t } = useTranslation('apiKeys');
  const { compatibility, lmfwc_version } = form.values;
  const [isOpen] = useState(compatibility !== NEW.compatibility || lmfwc_version !== NEW.lmfwc_version);
  return (
    <details open={isOpen}>
      <Text component="summary" size="sm" fw={600}>
        {t('form.compatibility')}
      </Text>
      <Stack mt="xs">
        <Select
          label={t('form.v1Answers')}
          description={t('form.v1AnswersHelp')}
          data={COMPATIBILITIES.map((value) => ({ value, label: t(`compatibility.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('compatibility')}
        />
        <Select
          label={t('form.lmfwcAnswers')}
          data={LMFWC_VERSIONS.map((value) => ({ value, label: t('lmfwc', { version: value }) }))}
          allowDeselect={false}
          {...form.getInputProps('lmfwc_version')}
        />
      </Stack>
    </details>
  );
}
