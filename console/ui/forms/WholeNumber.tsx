import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../format.ts';

/** The server's largest activation limit and number of days. */
export const COUNT_MAX = 2 ** 31 - 1;
/** The server's largest order, product or customer ID. */
export const REFERENCE_MAX = Number.MAX_SAFE_INTEGER;

interface Props extends Omit<NumberInputProps, 'min' | 'max' | 'value' | 'defaultValue' | 'onChange'> {
  min?: number;
  max?: number;
  value?: number | string;
  defaultValue?: number | string;
  onChange?: (value: number | string) => void;
}

/** Whether the text is a whole number within bounds. */
export const isWhole = (value: number | string, min: number, max: number): boolean =>
  /^\d+$/.test(String(value)) && Number(value) >= min && Number(value) <= max;

/** A field for a whole number. It keeps invalid text and shows an error instead of correcting it. */
export function WholeNumber({ min = 0, max = COUNT_MAX, error, onBlur, onChange, ...rest }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(rest.defaultValue ?? '');
  const [isLeft, setLeft] = useState(false);
  const value = rest.value ?? typed;
  const isWrong = isLeft && value !== '' && !isWhole(value, min, max);
  const own = isWrong && t('wholeNumber', { min: formatNumber(min), max: formatNumber(max) });
  return (
    <NumberInput
      {...rest}
      min={min}
      max={max}
      clampBehavior="none"
      // Mantine's clamping would round long numbers.
      trimLeadingZeroesOnBlur={false}
      allowDecimal={false}
      error={error || own}
      onChange={(now) => {
        setTyped(String(now));
        onChange?.(typeof now === 'bigint' ? String(now) : now);
      }}
      onBlur={(event) => {
        setLeft(true);
        onBlur?.(event);
      }}
    />
  );
}
