import { Alert, Button, Group, NativeSelect, SimpleGrid, Stack, Table, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { Select } from '../../ui/forms/choices.tsx';
import { COUNT_MAX, isWhole, WholeNumber } from '../../ui/forms/WholeNumber.tsx';
import { STATUSES } from '../../ui/licenses/license-status.ts';
import { ProductField } from '../../ui/products/ProductField.tsx';
import { parameterWords } from './fault-words.ts';
import { type Choices, type FileColumns, PARAMETERS } from './use-import.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;

interface Props {
  columns: FileColumns;
  choices: Choices;
  isBusy: boolean;
  onDelimiter: (delimiter: string) => void;
  onBack: () => void;
  onNext: (choices: Choices) => void;
}

/** Maps columns to fields and sets defaults for empty cells. */
export function ColumnsStep({
  columns: { delimiter, columns },
  choices,
  isBusy,
  onDelimiter,
  onBack,
  onNext,
}: Props) {
  const { t } = useTranslation(['imports', 'licenses']);
  const [chosen, setChosen] = useState<Record<string, string>>(choices.mapping ?? {});
  const whole = (value: number | string) =>
    value === '' || isWhole(value, 0, COUNT_MAX)
      ? null
      : t('wholeNumber', { min: 0, max: formatNumber(COUNT_MAX) });
  const form = useForm({
    mode: 'controlled',
    initialValues: choices.defaults,
    validate: { activations_limit: whole, valid_for: whole },
  });
  const parameterOf = (name: string): string =>
    chosen[name] ?? columns.find((one) => one.name === name)?.parameter ?? '';
  const mapping = Object.fromEntries(columns.map(({ name }) => [name, parameterOf(name)]));
  const used = Object.values(mapping).filter((one) => one !== '');
  const twice = used.find((one, i) => used.indexOf(one) !== i);
  const isKeyed = used.includes('license_key');
  const fault = twice
    ? t('imports:columns.twice', { name: parameterWords(twice) })
    : isKeyed
      ? null
      : t('imports:columns.noKey');
  return (
    <Stack>
      <Select
        label={t('imports:columns.delimiter')}
        allowDeselect={false}
        maw={280}
        disabled={isBusy}
        data={DELIMITERS.map((value) => ({ value, label: t(`imports:delimiter.${DELIMITER_NAMES[value]}`) }))}
        value={delimiter}
        onChange={(value) => value && onDelimiter(value)}
      />
      <Table.ScrollContainer minWidth={280} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table>
          <Table.Caption style={{ captionSide: 'top', textAlign: 'start' }}>
            {t('imports:columns.caption')}
          </Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('imports:columns.inFile')}</Table.Th>
              <Table.Th scope="col">{t('imports:columns.is')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.map(({ name }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: column names may repeat, and columns never move
              <Table.Tr key={i}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {name || t('imports:columns.unnamed')}
                </Table.Td>
                <Table.Td>
                  <NativeSelect
                    aria-label={t('imports:columns.of', { name })}
                    value={parameterOf(name)}
                    onChange={({ currentTarget: { value } }) =>
                      setChosen((before) => ({ ...before, [name]: value }))
                    }
                    data={[
                      { value: '', label: t('imports:columns.ignore') },
                      ...PARAMETERS.map((value) => ({ value, label: parameterWords(value) })),
                    ]}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Title order={2}>{t('imports:defaults')}</Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Select
          label={parameterWords('status')}
          allowDeselect={false}
          data={STATUSES.map((value) => ({ value, label: t(`licenses:status.${value}`) }))}
          {...form.getInputProps('status')}
        />
        {(['activations_limit', 'valid_for'] as const).map((name) => (
          <WholeNumber key={name} label={parameterWords(name)} {...form.getInputProps(name)} />
        ))}
        <ProductField label={parameterWords('product_id')} {...form.getInputProps('product_id')} />
      </SimpleGrid>
      {fault && (
        <Alert color="orange" role="status">
          {fault}
        </Alert>
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          {t('imports:back')}
        </Button>
        <Button
          disabled={fault !== null}
          loading={isBusy}
          onClick={() => {
            if (!form.validate().hasErrors) onNext({ ...choices, mapping, defaults: form.getValues() });
          }}
        >
          {t('imports:columns.next')}
        </Button>
      </Group>
    </Stack>
  );
}
