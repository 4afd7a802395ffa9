import { TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Select } from '../../../ui/forms/choices.tsx';
import { HINT_BELOW } from '../../../ui/forms/hint-below.ts';
import { EXPIRY_CHOICES, type ExpiryValues } from './expiry.ts';

interface Props {
  inputProps: (name: keyof ExpiryValues) => GetInputPropsReturnType;
  /** The days of the new license's generator, 0 for never; undefined without a generator. */
  generatorDays?: number | undefined;
}

/** The fields for the expiry: a choice and, for `date`, a date field. */
export function ExpiryFields({ inputProps, generatorDays }: Props) {
  const { t } = useTranslation('licenses');
  const { value } = inputProps('expiry');
  const choices = EXPIRY_CHOICES.filter((one) => one !== 'generator' || generatorDays !== undefined);
  const words = {
    generator: generatorDays
      ? t('form.expiry.generator', { count: generatorDays })
      : t('form.expiry.generatorNever'),
    never: t('never'),
    '30': t('form.expiry.month'),
    '365': t('form.expiry.year'),
    date: t('form.expiry.date'),
  };
  return (
    <>
      <Select
        label={t('column.expires')}
        data={choices.map((one) => ({ value: one, label: words[one] }))}
        allowDeselect={false}
        // In a form without a field for the key, which would be above.
        data-autofocus
        {...inputProps('expiry')}
      />
      {value === 'date' && (
        <TextInput
          type="datetime-local"
          label={t('form.expiresAt')}
          description={t('form.expiresHint')}
          {...HINT_BELOW}
          {...inputProps('date')}
        />
      )}
    </>
  );
}
