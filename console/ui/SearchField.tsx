import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Props extends Omit<TextInputProps, 'value' | 'onChange' | 'label'> {
  label: string;
  /** As the address has it. */
  value: string;
  /** Called when nothing more is typed for a moment. */
  onSearch: (text: string) => void;
}

/** Milliseconds without a key until what is typed is searched for. */
const PAUSE_MS = 250;

/** The search of a page; `/` puts the focus here. */
export function SearchField({ label, value, onSearch, ...rest }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const search = useDebouncedCallback((typed: string) => onSearch(typed.trim()), PAUSE_MS);
  const change = (typed: string) => {
    setText(typed);
    search(typed);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      data-page-search
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<Search size={16} aria-hidden />}
      rightSection={
        text !== '' && <CloseButton size="sm" aria-label={t('clear')} onClick={() => change('')} />
      }
      {...rest}
    />
  );
}
