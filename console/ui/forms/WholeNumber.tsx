import { TextInput, type TextInputProps } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../format.ts';

/** The server's largest activation limit and number of days. */
export const COUNT_MAX = 2 ** 31 - 1;
/** The server's largest order, product or customer ID. */
export const REFERENCE_MAX = Number.MAX_SAFE_INTEGER;

interface Props extends Omit<TextInputProps, 'min' | 'max' | 'value' | 'defaultValue' | 'onChange'> {
  min?: number;
  max?: number;
  value?: number | string;
  defaultValue?: number | string;
  /** Called with a number, or with the text if it is not a number. */
  onChange?: (value: number | string) => void;
}

/** Whether the text is a whole number within bounds. */
export const isWhole = (value: number | string, min: number, max: number): boolean =>
  /^\d+$/.test(String(value)) && Number(value) >= min && Number(value) <= max;

/** Converts text in canonical decimal form to a number; returns any other text unchanged. */
const numberOf = (text: string): number | string => {
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : text;
};

const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1 };

/**
 * A field for a whole number. It keeps what the user types, and shows an error below if that is not a whole number. Arrow
 * keys change the number.
 */
export function WholeNumber({ min = 0, max = COUNT_MAX, error, onBlur, onChange, ...rest }: Props) {
  const { t } = useTranslation();
  const { defaultValue, ...props } = rest;
  const [typed, setTyped] = useState(String(defaultValue ?? ''));
  const [isLeft, setLeft] = useState(false);
  const value = String(props.value ?? typed);
  const isWrong = isLeft && value !== '' && !isWhole(value, min, max);
  const own = isWrong && t('wholeNumber', { min: formatNumber(min), max: formatNumber(max) });
  // A name in place of an ID: the largest ID would not help.
  const isName = max === REFERENCE_MAX && /\D/.test(value);
  const change = (text: string) => {
    setTyped(text);
    onChange?.(numberOf(text));
  };
  const step = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    const next = Number(value) + (by ?? 0);
    if (by === undefined || (value !== '' && !isWhole(value, min, max))) return;
    event.preventDefault();
    if (isWhole(next, min, max)) change(String(next));
  };
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="off"
      {...props}
      value={value}
      error={isName ? (error || own) && t('anyWholeNumber') : error || own}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={step}
      onBlur={(event) => {
        setLeft(true);
        onBlur?.(event);
      }}
    />
  );
}
