import { Checkbox, SimpleGrid, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** The noun in a name, the part before the dot: 'licenses' for 'licenses.list'. */
type NounOf<Name> = Name extends `${infer Noun}.${string}` ? Noun : never;

interface Props<Name extends string> {
  /** Names such as `licenses.list`. */
  all: readonly Name[];
  chosen: readonly Name[];
  onChange: (chosen: Name[]) => void;
  nounLabel: (noun: NounOf<Name>) => string;
  label: (name: Name) => string;
}

/** Checkboxes grouped by noun. Each group has a checkbox that selects the whole group. */
export function GroupedChoice<Name extends string>({ all, chosen, onChange, ...words }: Props<Name>) {
  const { t } = useTranslation();
  const nounOf = (name: Name) => name.split('.')[0] as NounOf<Name>;
  const groups = Object.entries(Object.groupBy(all, nounOf)) as [NounOf<Name>, Name[]][];
  const set = (names: readonly Name[], isChosen: boolean) =>
    onChange(all.filter((one) => (names.includes(one) ? isChosen : chosen.includes(one))));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {groups.map(([noun, names]) => {
        const count = names.filter((one) => chosen.includes(one)).length;
        const label = words.nounLabel(noun);
        return (
          <Stack key={noun} gap={6}>
            <Checkbox
              label={label}
              aria-label={t('allOf', { noun: label })}
              styles={{ label: { fontWeight: 600 } }}
              checked={count === names.length}
              indeterminate={count > 0 && count < names.length}
              onChange={(event) => set(names, event.currentTarget.checked)}
            />
            {names.map((one) => (
              <Checkbox
                key={one}
                ms="md"
                label={words.label(one)}
                checked={chosen.includes(one)}
                onChange={(event) => set([one], event.currentTarget.checked)}
              />
            ))}
          </Stack>
        );
      })}
    </SimpleGrid>
  );
}
