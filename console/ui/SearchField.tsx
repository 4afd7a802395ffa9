import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { Search } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { EXACT_TEXT } from './forms/exact-text.ts';
import { useTyped } from './forms/use-typed.ts';

interface Props extends Omit<TextInputProps, 'value' | 'onChange' | 'label'> {
  label: string;
  /** The search text in the address. */
  value: string;
  /** Called after a pause in typing. */
  onSearch: (text: string) => void;
}

/** The search field of a page, focused by `/`. */
export function SearchField({ label, value, onSearch, ...rest }: Props) {
  const { t } = useTranslation();
  const [text, type] = useTyped(value, onSearch);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      data-page-search
      {...EXACT_TEXT}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      leftSection={<Search size={16} />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label={t('clear')} onClick={() => type('')} />}
      {...rest}
    />
  );
}
