import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { REFERENCE_MAX, WholeNumber } from '../../ui/forms/WholeNumber.tsx';
import { STATUSES } from '../../ui/licenses/license-status.ts';
import type { LicenseTerms } from '../../ui/licenses/license-terms.ts';
import { TermsFields } from '../../ui/licenses/TermsFields.tsx';
import { ProductField } from '../../ui/products/ProductField.tsx';

/** The fields of a license except its key, by API name. */
type Name =
  | 'status'
  | 'activations_limit'
  | 'expires_at'
  | 'valid_for'
  | 'order_id'
  | 'product_id'
  | 'user_id'
  | keyof LicenseTerms;

interface Props {
  inputProps: (name: Name) => GetInputPropsReturnType;
  /** The hint of the field "Valid for". */
  validForHint?: string;
  /** False for a license that has the terms of its generator. */
  hasTerms?: boolean;
}

/** The fields of the create and edit forms. */
export function LicenseFields({ inputProps, validForHint, hasTerms = true }: Props) {
  const { t } = useTranslation('licenses');
  const ids = ['order_id', 'user_id'] as const;
  const labels = { order_id: t('form.order'), user_id: t('form.customer') };
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
        <Select
          label={t('form.status')}
          data={STATUSES.map((status, i) => ({ value: String(i + 1), label: t(`status.${status}`) }))}
          allowDeselect={false}
          {...inputProps('status')}
        />
        <WholeNumber
          label={t('form.limit')}
          description={t('form.limitHint')}
          {...inputProps('activations_limit')}
        />
        <TextInput
          type="datetime-local"
          label={t('form.expires')}
          description={t('form.expiresHint')}
          {...inputProps('expires_at')}
        />
        <WholeNumber label={t('form.validFor')} description={validForHint} {...inputProps('valid_for')} />
        <ProductField label={t('form.product')} {...inputProps('product_id')} />
        {ids.map((name) => (
          <WholeNumber
            key={name}
            label={labels[name]}
            max={REFERENCE_MAX}
            hideControls
            {...inputProps(name)}
          />
        ))}
      </SimpleGrid>
      {hasTerms && <TermsFields inputProps={inputProps} />}
    </>
  );
}
