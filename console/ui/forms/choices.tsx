import {
  MultiSelect as AnyMultiSelect,
  Select as AnySelect,
  type ComboboxProps,
  type MultiSelectProps,
  type SelectProps,
} from '@mantine/core';
import { type FocusEvent, useEffect, useState } from 'react';

/*
 * Mantine's fields for a choice. Mantine renders and places the hidden list of options of every field on a page; these
 * render it when the field first gets the focus. Not later: an arrow key that opens the list expects its options.
 */
interface Field {
  comboboxProps?: ComboboxProps;
  onFocus?: (event: FocusEvent<HTMLInputElement>) => void;
}

function useOptionsOnFocus<Props extends Field>(props: Props): Props {
  const [keepMounted, setKeepMounted] = useState(false);
  // Renders a list that the focus opens once more: an effect of the list sets its ID, which `aria-expanded` depends on.
  const [, setMounted] = useState(false);
  useEffect(() => setMounted(keepMounted), [keepMounted]);
  return {
    ...props,
    comboboxProps: { ...props.comboboxProps, keepMounted },
    onFocus: (event: FocusEvent<HTMLInputElement>) => {
      setKeepMounted(true);
      props.onFocus?.(event);
    },
  };
}

export const Select = (props: SelectProps) => <AnySelect {...useOptionsOnFocus(props)} />;
export const MultiSelect = (props: MultiSelectProps) => <AnyMultiSelect {...useOptionsOnFocus(props)} />;
