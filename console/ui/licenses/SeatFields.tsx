import { Fieldset, NativeSelect, Stack } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DurationUnit, durationParts, secondsOf } from '../format.ts';
import { Select } from '../forms/choices.tsx';
import { isWhole, WholeNumber } from '../forms/WholeNumber.tsx';
import type { SeatPolicy } from './seat-words.ts';

interface Props {
  inputProps: (name: keyof SeatPolicy) => GetInputPropsReturnType;
}

/** The server's bounds. */
const MOST = { borrow_max_hours: 8_784, reclaim_after_days: 3_660, takeovers_per_month: 1_000 } as const;
const COUNTS = ['borrow_max_hours', 'reclaim_after_days', 'takeovers_per_month'] as const;
const MATCHES = ['fingerprint', 'label'] as const;

/** The fields of a seat policy, in the forms of licenses and generators. */
export function SeatFields({ inputProps }: Props) {
  const { t } = useTranslation('seats');
  return (
    <Fieldset legend={t('title')}>
      <Stack>
        <DurationField {...inputProps('seat_ttl')} />
        <Select
          label={t('field.match')}
          description={t('hint.match')}
          data={MATCHES.map((value) => ({ value, label: t(`match.${value}`) }))}
          allowDeselect={false}
          {...inputProps('match')}
        />
        {COUNTS.map((name) => (
          <WholeNumber
            key={name}
            label={t(`field.${name}`)}
            description={t(`hint.${name}`)}
            max={MOST[name]}
            {...inputProps(name)}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

const UNITS: readonly DurationUnit[] = ['second', 'minute', 'hour', 'day'];

/** A field for a duration: a number and its unit. The value is in seconds. */
function DurationField({ value, defaultValue, onChange, ...rest }: GetInputPropsReturnType) {
  const { t } = useTranslation('seats');
  const [{ amount, unit }, setParts] = useState(() => {
    const seconds = Number(value ?? defaultValue);
    const parts: { amount: number | string; unit: DurationUnit } =
      seconds === 0 ? { amount: 0, unit: 'minute' } : durationParts(seconds);
    return parts;
  });
  const max = Math.floor((MOST.borrow_max_hours * 3_600) / secondsOf(1, unit));
  const set = (parts: { amount: number | string; unit: DurationUnit }) => {
    setParts(parts);
    const isNumber = isWhole(parts.amount, 0, Number.MAX_SAFE_INTEGER);
    onChange(isNumber ? secondsOf(Number(parts.amount), parts.unit) : parts.amount);
  };
  return (
    <WholeNumber
      {...rest}
      label={t('field.seat_ttl')}
      description={t('hint.seat_ttl')}
      value={amount}
      onChange={(typed) => set({ amount: typed, unit })}
      max={max}
      rightSectionWidth={120}
      rightSection={
        <NativeSelect
          variant="unstyled"
          w="100%"
          // By default the unit would inherit the width and the margins of the field.
          rightSectionWidth={30}
          styles={{ wrapper: { marginBlock: 0 } }}
          aria-label={t('unit')}
          data={UNITS.map((one) => ({ value: one, label: t(`units.${one}`) }))}
          value={unit}
          onChange={(event) => set({ amount, unit: event.currentTarget.value as DurationUnit })}
        />
      }
    />
  );
}
