import {
  Autocomplete as AnyAutocomplete,
  MultiSelect as AnyMultiSelect,
  Select as AnySelect,
  TagsInput as AnyTagsInput,
  type AutocompleteProps,
  type ComboboxProps,
  type MultiSelectProps,
  type SelectProps,
  type TagsInputProps,
} from '@mantine/core';
import { type FocusEvent, useState } from 'react';

/*
 * Mantine's fields with a list of options. Mantine renders and places the hidden list of every field of a page; these
 * render it when the field first gets the focus. Not later: an arrow key that opens a list expects its options.
 */
interface Field {
  comboboxProps?: ComboboxProps;
  onFocus?: (event: FocusEvent<HTMLInputElement>) => void;
}

function useOptionsOnFocus<Props extends Field>(props: Props): Props {
  const [keepMounted, setKeepMounted] = useState(false);
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
export const Autocomplete = (props: AutocompleteProps) => <AnyAutocomplete {...useOptionsOnFocus(props)} />;
export const TagsInput = (props: TagsInputProps) => <AnyTagsInput {...useOptionsOnFocus(props)} />;
