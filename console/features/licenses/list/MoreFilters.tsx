import { Button, Group, Popover, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isWhole, REFERENCE_MAX } from '../../../ui/forms/WholeNumber.tsx';
import { SOURCES } from '../../../ui/licenses/license-status.ts';
import { DAYS, type LicensesSearch } from '../licenses-search.ts';
import { TagField } from '../notes/TagField.tsx';

const IDS = ['order', 'customer'] as const;

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
  const [wrong, setWrong] = useState<string[]>([]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    const textOf = (name: string) => String(sent.get(name) ?? '').trim();
    const bad = IDS.filter((name) => textOf(name) !== '' && !isWhole(textOf(name), 1, REFERENCE_MAX));
    setWrong(bad);
    if (bad.length > 0) return;
    setOpen(false);
    const days = Object.fromEntries(DAYS.map((name) => [name, textOf(name) || undefined]));
    onChange({
      ...Object.fromEntries(
        IDS.map((name) => [name, textOf(name) === '' ? undefined : Number(textOf(name))]),
      ),
      ...days,
      // The list has one condition on the expiry.
      ...((days.expiresFrom || days.expiresTo) && { expiry: undefined }),
      tag: textOf('tag') || undefined,
      source: SOURCES.find((one) => one === sent.get('source')),
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
      <Popover.Dropdown aria-label={t('filter.more')} w={340} maw="100vw">
        <form onSubmit={submit} noValidate>
          <Stack gap="xs">
            <SimpleGrid cols={2} spacing="xs">
              {IDS.map((name) => (
                <TextInput
                  key={name}
                  name={name}
                  inputMode="numeric"
                  label={t(`filter.${name}`)}
                  defaultValue={search[name] ?? ''}
                  error={wrong.includes(name) && t('filter.id')}
                />
              ))}
              {DAYS.map((name) => (
                <TextInput
                  key={name}
                  name={name}
                  type="date"
                  label={t(`filter.${name}`)}
                  defaultValue={search[name] ?? ''}
                />
              ))}
            </SimpleGrid>
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
