import { Button, Group } from '@mantine/core';
import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatDay } from '../../../ui/format.ts';
import { useProducts } from '../../../ui/products/queries.ts';
import { DAYS, type LicensesSearch, NO_FILTER, statusesOf } from '../licenses-search.ts';

interface Props {
  search: LicensesSearch;
  onChange: (changes: Partial<LicensesSearch>) => void;
}

/** Shows a chip for each active filter. A click removes the filter. */
export function ActiveFilters({ search, onChange }: Props) {
  const { t } = useTranslation('licenses');
  const { labelOf } = useProducts();
  const statuses = statusesOf(search.status);
  const chips: [text: string, without: Partial<LicensesSearch>][] = [];
  const add = (name: string, value: string, without: Partial<LicensesSearch>) =>
    chips.push([t('filter.is', { name, value }), without]);
  if (search.search) add(t('filter.search'), search.search, { search: undefined });
  for (const status of statuses) {
    const others = statuses.filter((one) => one !== status).join(',') || undefined;
    add(t('column.status'), t(`status.${status}`), { status: others });
  }
  if (search.expiry) add(t('filter.expiry'), t(`filter.${search.expiry}`), { expiry: undefined });
  for (const name of DAYS) {
    const day = search[name];
    if (day) add(t(`filter.${name}`), formatDay(day), { [name]: undefined });
  }
  if (search.product !== undefined) add(t('column.product'), labelOf(search.product), { product: undefined });
  if (search.order !== undefined) add(t('column.order'), String(search.order), { order: undefined });
  if (search.customer !== undefined)
    add(t('column.customer'), String(search.customer), { customer: undefined });
  if (search.tag) add(t('tag', { ns: 'notes' }), search.tag, { tag: undefined });
  if (search.source) add(t('column.source'), t(`source.${search.source}`), { source: undefined });
  if (chips.length === 0) return null;
  return (
    <Group component="ul" aria-label={t('filter.active')} gap={6} mb="sm" p={0} data-repeats>
      {chips.map(([text, without]) => (
        <li key={text} style={{ listStyle: 'none', maxWidth: '100%' }}>
          <Button
            size="compact-sm"
            variant="light"
            maw="100%"
            rightSection={<X size={14} />}
            aria-label={t('filter.remove', { filter: text })}
            onClick={() => onChange(without)}
          >
            {text}
          </Button>
        </li>
      ))}
      <li style={{ listStyle: 'none' }}>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange(NO_FILTER)}>
          {t('filter.reset')}
        </Button>
      </li>
    </Group>
  );
}
