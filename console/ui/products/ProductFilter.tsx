import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Select } from '../forms/choices.tsx';
import { isNumber, useProducts } from './queries.ts';

interface Props {
  value: number | undefined;
  onChange: (product: number | undefined) => void;
  /** Pixels. */
  width?: number;
}

/** Filters by a known product, or by any other number. */
export function ProductFilter({ value, onChange, width = 190 }: Props) {
  const { t } = useTranslation('licenses');
  const { items, labelOf } = useProducts();
  const [typed, setTyped] = useState('');
  const known = items.map(({ id }) => id);
  const others = [value, isNumber(typed.trim()) ? Number(typed) : undefined].filter(
    (id) => id !== undefined && !known.includes(id),
  );
  return (
    <Select
      aria-label={t('column.product')}
      placeholder={t('filter.anyProduct')}
      data={[...new Set([...known, ...others])].map((id) => ({
        value: String(id),
        label: labelOf(Number(id)),
      }))}
      value={value === undefined ? null : String(value)}
      onChange={(chosen) => onChange(chosen === null ? undefined : Number(chosen))}
      onSearchChange={setTyped}
      searchable
      clearable
      limit={100}
      flex={{ base: '1 1 130px', xs: `0 0 ${width}px` }}
    />
  );
}
