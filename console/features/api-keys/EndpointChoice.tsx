import { Checkbox, Fieldset, SimpleGrid, Stack, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Endpoint } from './queries.ts';

interface Props {
  all: readonly Endpoint[];
  chosen: readonly Endpoint[];
  onChange: (chosen: Endpoint[]) => void;
  error?: string;
}

/** Endpoint checkboxes grouped by noun, each group with a checkbox for all. */
export function EndpointChoice({ all, chosen, onChange, error }: Props) {
  const { t } = useTranslation('apiKeys');
  const errorId = useId();
  const groups = Object.entries(Object.groupBy(all, nounOf)) as [Noun, Endpoint[]][];
  const set = (endpoints: readonly Endpoint[], isChosen: boolean) =>
    onChange(all.filter((one) => (endpoints.includes(one) ? isChosen : chosen.includes(one))));
  return (
    <Fieldset legend={t('form.endpoints')} aria-describedby={error ? errorId : undefined}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {groups.map(([noun, endpoints]) => {
          const count = endpoints.filter((one) => chosen.includes(one)).length;
          return (
            <Stack key={noun} gap={6}>
              <Checkbox
                label={t(`noun.${noun}`)}
                aria-label={t('form.allOf', { noun: t(`noun.${noun}`) })}
                styles={{ label: { fontWeight: 600 } }}
                checked={count === endpoints.length}
                indeterminate={count > 0 && count < endpoints.length}
                onChange={(event) => set(endpoints, event.currentTarget.checked)}
              />
              {endpoints.map((one) => (
                <Checkbox
                  key={one}
                  ms="md"
                  label={labelOf(t, one)}
                  checked={chosen.includes(one)}
                  onChange={(event) => set([one], event.currentTarget.checked)}
                />
              ))}
            </Stack>
          );
        })}
      </SimpleGrid>
      {error && (
        <Text id={errorId} size="xs" c="var(--mantine-color-error)" mt="xs">
          {error}
        </Text>
      )}
    </Fieldset>
  );
}

type Noun = Endpoint extends `${infer N}.${string}` ? N : never;
const nounOf = (endpoint: Endpoint): Noun => endpoint.split('.')[0] as Noun;
const labelOf = (t: TFunction<'apiKeys'>, endpoint: Endpoint): string => t(`endpoint.${endpoint}`);
