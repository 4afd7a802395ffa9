import { TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { HINT_BELOW } from '../forms/hint-below.ts';
import { REFERENCE_MAX, WholeNumber } from '../forms/WholeNumber.tsx';
import { ProductField } from '../products/ProductField.tsx';

interface Props {
  inputProps: (name: 'product_id' | 'order_id' | 'user_id' | 'customer_email') => GetInputPropsReturnType;
}

/** The fields that say what was sold to whom, in the forms of licenses and of generated keys. */
export function ShopFields({ inputProps }: Props) {
  const { t } = useTranslation('licenses');
  return (
    <>
      <ProductField
        label={t('column.product')}
        description={t('hint', { ns: 'products' })}
        {...HINT_BELOW}
        {...inputProps('product_id')}
      />
      {(['order', 'customer'] as const).map((name) => (
        <WholeNumber
          key={name}
          label={t(`column.${name}`)}
          description={t('shopId')}
          {...HINT_BELOW}
          max={REFERENCE_MAX}
          {...inputProps(name === 'order' ? 'order_id' : 'user_id')}
        />
      ))}
      <TextInput
        label={t('column.email')}
        type="email"
        autoComplete="off"
        style={{ gridColumn: '1 / -1' }}
        {...inputProps('customer_email')}
      />
    </>
  );
}
