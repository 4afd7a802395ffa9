import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Select } from '../../../ui/forms/choices.tsx';
import { reportHalfTyped } from '../../../ui/forms/half-typed.ts';
import { isWhole, REFERENCE_MAX } from '../../../ui/forms/WholeNumber.tsx';
import { SOURCES } from '../../../ui/licenses/license-status.ts';
import { DAYS, IDS, type LicensesSearch } from '../licenses-search.ts';
import { TagField } from '../notes/TagField.tsx';

interface Props {
  search: LicensesSearch;
  onChange: (changes: Partial<LicensesSearch>) => void;
}

/** The form of `MoreFilters`. */
export function MoreFiltersForm({ search, onChange }: Props) {
  const { t } = useTranslation('licenses');
  const [wrong, setWrong] = useState<string[]>([]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (reportHalfTyped(event.currentTarget)) return;
    const sent = new FormData(event.currentTarget);
    const textOf = (name: string) => String(sent.get(name) ?? '').trim();
    const bad = IDS.filter((name) => textOf(name) !== '' && !isWhole(textOf(name), 0, REFERENCE_MAX));
    setWrong(bad);
    if (bad.length > 0) return;
    const days = Object.fromEntries(DAYS.map((name) => [name, textOf(name) || undefined]));
    onChange({
      ...Object.fromEntries(
        IDS.map((name) => [name, textOf(name) === '' ? undefined : Number(textOf(name))]),
      ),
      ...days,
      // The server takes a single condition on the expiry.
      ...((days.expiresFrom || days.expiresTo) && { expiry: undefined }),
      tag: textOf('tag') || undefined,
      source: SOURCES.find((one) => one === sent.get('source')),
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <SimpleGrid cols={2} spacing="xs">
          {IDS.map((name) => (
            <TextInput
              key={name}
              name={name}
              inputMode="numeric"
              label={t(`column.${name}`)}
              defaultValue={search[name] ?? ''}
              error={wrong.includes(name) && t('anyWholeNumber')}
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
          label={t('column.source')}
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
  );
}
