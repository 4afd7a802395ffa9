import { Button, Popover } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';
import { DAYS, IDS, type LicensesSearch } from '../licenses-search.ts';

const MoreFiltersForm = lazyPart(async () => (await import('./MoreFiltersForm.tsx')).MoreFiltersForm);
const preload = () => void MoreFiltersForm.preload();

interface Props {
  search: LicensesSearch;
  onChange: (changes: Partial<LicensesSearch>) => void;
}

/** The filters that are needed less often: order, customer, tag, source, and days. */
export function MoreFilters({ search, onChange }: Props) {
  const { t } = useTranslation('licenses');
  const [isOpen, setOpen] = useState(false);
  const active = [...IDS, ...DAYS, 'tag' as const, 'source' as const].filter(
    (name) => search[name] !== undefined,
  ).length;
  // Load the form before opening, so that there is an element to focus.
  const toggle = async () => setOpen(!isOpen && (await MoreFiltersForm.ready()));
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus shadow="md" withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<ListFilter size={16} />}
          aria-expanded={isOpen}
          onPointerEnter={preload}
          onFocus={preload}
          onClick={() => void toggle()}
        >
          {active > 0 ? t('filter.moreActive', { count: active }) : t('filter.more')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('filter.more')} w={340} maw="100vw">
        <MoreFiltersForm
          search={search}
          onChange={(changes) => {
            setOpen(false);
            onChange(changes);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
