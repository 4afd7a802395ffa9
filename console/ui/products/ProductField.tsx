import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isNumber, useProducts } from './queries.ts';

interface Props extends Omit<AutocompleteProps, 'data' | 'value' | 'defaultValue' | 'onChange'> {
  value?: number | string;
  defaultValue?: number | string;
  /** Called with a number, or with the text if it is not a number. */
  onChange?: (value: number | string) => void;
}

const SHOWN = 50;

/** A field for a product ID that suggests the known products. */
export function ProductField({ value, defaultValue, onChange, error, ...rest }: Props) {
  const { t } = useTranslation('products');
  const { items, labelOf } = useProducts();
  return (
    <Autocomplete
      {...rest}
      data={items.map(({ id }) => String(id))}
      value={value === undefined ? undefined : String(value)}
      defaultValue={defaultValue === undefined ? undefined : String(defaultValue)}
      onChange={(text) => onChange?.(isNumber(text) ? Number(text) : text)}
      filter={({ options, search }) =>
        options.filter(
          (option) =>
            'value' in option &&
            labelOf(Number(option.value)).toLowerCase().includes(search.trim().toLowerCase()),
        )
      }
      renderOption={({ option }) => labelOf(Number(option.value))}
      error={error && /\D/.test(String(value)) ? t('notANumber') : error}
      limit={SHOWN}
      autoComplete="off"
    />
  );
}
