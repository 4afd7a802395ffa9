import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { FilterBar } from '../../../ui/FilterBar.tsx';
import { MultiSelect, Select } from '../../../ui/forms/choices.tsx';
import { EXPIRIES, STATUSES } from '../../../ui/licenses/license-status.ts';
import { ProductFilter } from '../../../ui/products/ProductFilter.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { type LicensesSearch, statusesOf } from '../licenses-search.ts';
import { ActiveFilters } from './ActiveFilters.tsx';
import { MoreFilters } from './MoreFilters.tsx';
import { SavedViews } from './SavedViews.tsx';

interface Props {
  search: LicensesSearch;
  /** Shows the first page with these filters. */
  onChange: (changes: Partial<LicensesSearch>) => void;
}

/** The search, the filters and the saved views of the list. */
export function LicenseFilters({ search, onChange }: Props) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const { search: text, status, expiry, product } = search;
  const statuses = statusesOf(status);
  return (
    <>
      <FilterBar label={t('filter.label')}>
        <SearchField
          label={t('search')}
          title={t('searchHint', { parts: t(can('licenses.keys') ? 'keyParts' : 'keyEnd') })}
          value={text ?? ''}
          onSearch={(typed) => onChange({ search: typed || undefined })}
          style={{ flex: '1 1 240px' }}
        />
        <MultiSelect
          aria-label={t('column.status')}
          placeholder={status ? undefined : t('filter.anyStatus')}
          // Show one text for all chosen statuses: each status has a chip below.
          renderPill={({ option }) =>
            option.value === statuses[0] && (
              <Text size="sm">
                {statuses.length === 1 ? option.label : t('filter.statuses', { count: statuses.length })}
              </Text>
            )
          }
          data={STATUSES.map((value) => ({ value, label: t(`status.${value}`) }))}
          value={statuses}
          onChange={(chosen) => onChange({ status: chosen.join(',') || undefined })}
          clearable
          flex={{ base: '1 1 130px', xs: '0 0 180px' }}
        />
        <Select
          aria-label={t('filter.expiry')}
          placeholder={t('filter.anyExpiry')}
          data={EXPIRIES.map((value) => ({ value, label: t(`filter.${value}`) }))}
          value={expiry ?? null}
          onChange={(chosen) =>
            onChange({
              expiry: EXPIRIES.find((one) => one === chosen),
              // The server takes a single condition on the expiry.
              ...(chosen && { expiresFrom: undefined, expiresTo: undefined }),
            })
          }
          clearable
          flex={{ base: '1 1 130px', xs: '0 0 170px' }}
        />
        <ProductFilter value={product} onChange={(chosen) => onChange({ product: chosen })} />
        <MoreFilters key={JSON.stringify(search)} search={search} onChange={onChange} />
        <SavedViews search={search} onChange={onChange} />
      </FilterBar>
      <ActiveFilters search={search} onChange={onChange} />
    </>
  );
}
