import { SimpleGrid } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Select } from '../../../ui/forms/choices.tsx';
import { HINT_BELOW } from '../../../ui/forms/hint-below.ts';
import { WholeNumber } from '../../../ui/forms/WholeNumber.tsx';
import { STATUSES } from '../../../ui/licenses/license-status.ts';
import type { LicenseTerms } from '../../../ui/licenses/license-terms.ts';
import { ShopFields } from '../../../ui/licenses/ShopFields.tsx';
import { TermsFields } from '../../../ui/licenses/TermsFields.tsx';
import { ExpiryFields } from './ExpiryFields.tsx';
import type { ExpiryValues } from './expiry.ts';

/** The API names of a license's fields, except the key. The expiry has fields of its own. */
type Name =
  | 'status'
  | 'activations_limit'
  | 'order_id'
  | 'product_id'
  | 'user_id'
  | 'customer_email'
  | keyof ExpiryValues
  | keyof LicenseTerms;

interface Props {
  /** From a controlled form. */
  inputProps: (name: Name) => GetInputPropsReturnType;
  /** The generator of a new license. The license gets its terms, and its limit and days unless the user enters others. */
  generator?: { activations_limit: number; expires_in: number } | undefined;
}

/** The fields of the create and edit forms. */
export function LicenseFields({ inputProps, generator }: Props) {
  const { t } = useTranslation('licenses');
  const limitHint =
    generator === undefined
      ? t('form.limitHint')
      : generator.activations_limit === 0
        ? t('form.limitOfGeneratorNone')
        : t('form.limitOfGenerator', { count: generator.activations_limit });
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <ExpiryFields inputProps={inputProps} generatorDays={generator?.expires_in} />
        <WholeNumber
          label={t('form.limit')}
          description={limitHint}
          {...HINT_BELOW}
          {...inputProps('activations_limit')}
        />
        <Select
          label={t('column.status')}
          description={t('statusHint')}
          {...HINT_BELOW}
          data={STATUSES.map((status, i) => ({ value: String(i + 1), label: t(`status.${status}`) }))}
          allowDeselect={false}
          {...inputProps('status')}
        />
        <ShopFields inputProps={inputProps} />
      </SimpleGrid>
      {generator === undefined && <TermsFields inputProps={inputProps} />}
    </>
  );
}
