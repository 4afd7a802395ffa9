import { Button, Group, MultiSelect, Popover, Select, Stack, TextInput } from '@mantine/core';
import { ListFilter, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { isWhole, REFERENCE_MAX } from '../../ui/forms/WholeNumber.tsx';
import { SOURCES, STATUSES } from '../../ui/licenses/license-status.ts';
import { ProductField } from '../../ui/products/ProductField.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { EXPIRIES, type LicensesSearch, statusesOf } from './licenses-search.ts';
import { TagField } from './notes/TagField.tsx';

interface Props {
  search: LicensesSearch;
  /** Shows the first page with these filters. */
  onChange: (changes: Partial<LicensesSearch>) => void;
}

const MORE = ['order', 'product', 'customer'] as const;

export function LicenseFilters({ search, onChange }: Props) {
  const { t } = useTranslation('licenses');
  const { search: text, status, expiry, source, order, product, customer, tag } = search;
  const isFiltered = [text, status, expiry, source, order, product, customer, tag].some(
    (one) => one !== undefined,
  );
  return (
    <FilterBar label={t('filter.label')}>
      <SearchField
        label={t('search')}
        title={t('searchHint')}
        value={text ?? ''}
        onSearch={(typed) => onChange({ search: typed || undefined })}
        style={{ flex: '1 1 260px' }}
      />
      <MultiSelect
        aria-label={t('filter.status')}
        placeholder={status ? undefined : t('filter.anyStatus')}
        data={STATUSES.map((value) => ({ value, label: t(`status.${value}`) }))}
        value={statusesOf(status)}
        onChange={(chosen) => onChange({ status: chosen.join(',') || undefined })}
        clearable
        flex={{ base: '1 1 130px', xs: '0 0 190px' }}
      />
      <Select
        aria-label={t('filter.expiry')}
        placeholder={t('filter.anyExpiry')}
        data={EXPIRIES.map((value) => ({ value, label: t(`filter.${value}`) }))}
        value={expiry ?? null}
        onChange={(chosen) => onChange({ expiry: EXPIRIES.find((one) => one === chosen) })}
        clearable
        flex={{ base: '1 1 130px', xs: '0 0 170px' }}
      />
      <MoreFilters search={search} onChange={onChange} />
      {isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<X size={16} aria-hidden />}
          onClick={() =>
            onChange({
              ...{ search: undefined, status: undefined, expiry: undefined, source: undefined },
              ...{ order: undefined, product: undefined, customer: undefined, tag: undefined },
            })
          }
        >
          {t('filter.reset')}
        </Button>
      )}
    </FilterBar>
  );
}

function MoreFilters({ search, onChange }: Props) {
  const { t } = useTranslation('licenses');
  const [isOpen, setOpen] = useState(false);
  const active = [...MORE, 'source' as const, 'tag' as const].filter(
    (name) => search[name] !== undefined,
  ).length;
  const [wrong, setWrong] = useState<string[]>([]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    const ids = MORE.map((name) => [name, String(sent.get(name) ?? '').trim()] as const);
    const bad = ids
      .filter(([, value]) => value !== '' && !isWhole(value, 1, REFERENCE_MAX))
      .map(([name]) => name);
    setWrong(bad);
    if (bad.length > 0) return;
    setOpen(false);
    onChange({
      ...Object.fromEntries(ids.map(([name, value]) => [name, value === '' ? undefined : Number(value)])),
      source: SOURCES.find((one) => one === sent.get('source')),
      tag: String(sent.get('tag') ?? '').trim() || undefined,
    });
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus shadow="md" withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<ListFilter size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {active > 0 ? t('filter.moreActive', { count: active }) : t('filter.more')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('filter.more')} w={260}>
        <form onSubmit={submit} noValidate>
          <Stack gap="xs">
            {MORE.map((name) => {
              const props = {
                name,
                label: t(`filter.${name}`),
                defaultValue: search[name] ?? '',
                error: wrong.includes(name) && t('filter.id'),
              };
              return name === 'product' ? (
                <ProductField key={name} comboboxProps={{ withinPortal: false }} {...props} />
              ) : (
                <TextInput key={name} inputMode="numeric" {...props} />
              );
            })}
            <TagField defaultValue={search.tag} />
            <Select
              name="source"
              label={t('filter.source')}
              placeholder={t('filter.anySource')}
              data={SOURCES.map((value) => ({ value, label: t(`source.${value}`) }))}
              defaultValue={search.source ?? null}
              clearable
              comboboxProps={{ withinPortal: false }}
            />
            <Group justify="flex-end">
              <Button type="submit">{t('filter.apply')}</Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
