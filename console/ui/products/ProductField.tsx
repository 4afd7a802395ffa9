import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { isNumber, useProducts } from './queries.ts';

interface Props extends Omit<AutocompleteProps, 'data' | 'value' | 'defaultValue' | 'onChange'> {
  value?: number | string;
  defaultValue?: number | string;
  /** With a number, or with what is none. */
  onChange?: (value: number | string) => void;
}

/** Suggestions shown at once. */
const SHOWN = 50;

/** The number of a product: typed, or chosen among those that are known by their numbers and names. */
export function ProductField({ value, defaultValue, onChange, ...rest }: Props) {
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
      limit={SHOWN}
      autoComplete="off"
    />
  );
}
