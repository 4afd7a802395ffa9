import { Alert, Button, Checkbox, Code, Group, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { valueWords } from '../../ui/change-words.ts';
import { formatNumber } from '../../ui/format.ts';
import { STATUSES } from '../../ui/licenses/license-status.ts';
import { Time } from '../../ui/Time.tsx';
import { parameterWords } from './fault-words.ts';
import { RejectedLines } from './RejectedLines.tsx';
import { type FileColumns, PARAMETERS, type Parameter, type Preview } from './use-import.ts';

interface Props {
  preview: Preview;
  file: File;
  columns: FileColumns;
  mapping: Readonly<Record<string, string>>;
  isBusy: boolean;
  onBack: () => void;
  onImport: (skipBad: boolean) => void;
}

/** Previews the import before anything is saved. */
export function CheckStep({ preview, file, columns, mapping, isBusy, onBack, onImport }: Props) {
  const { t } = useTranslation('imports');
  const { lines, good, rejected, rows } = preview;
  const bad = rejected.total;
  const shown = shownOf(mapping, rows);
  const [skipBad, setSkipBad] = useState(false);
  const numbers = { good: formatNumber(good), bad: formatNumber(bad), lines: formatNumber(lines) };
  const ignored = Object.keys(mapping).filter(
    (name) => mapping[name] === '' && name !== t('rejected.column'),
  );
  const [isIgnoring, setIgnoring] = useState(false);
  const mayImport = good > 0 && (bad === 0 || skipBad) && (ignored.length === 0 || isIgnoring);
  return (
    <Stack>
      <Alert
        color={bad === 0 && good > 0 ? 'teal' : 'orange'}
        icon={bad === 0 && good > 0 ? <CircleCheck /> : <TriangleAlert />}
        title={t(bad === 0 ? 'check.good' : 'check.bad', { ...numbers, count: bad === 0 ? good : bad })}
        role="status"
      >
        {lines === 0 ? t('check.empty') : t('check.nothingYet')}
      </Alert>
      {ignored.length > 0 && (
        <Alert color="orange" icon={<TriangleAlert />} title={t('check.ignored', { count: ignored.length })}>
          <Stack gap="xs">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {ignored.map((name) => name || t('columns.unnamed')).join(', ')}
            </Text>
            <Checkbox
              label={t('check.ignore', { count: ignored.length })}
              checked={isIgnoring}
              onChange={(event) => setIgnoring(event.currentTarget.checked)}
            />
          </Stack>
        </Alert>
      )}
      {bad > 0 && <RejectedLines rejected={rejected} file={file} columns={columns} mapping={mapping} />}
      {bad > 0 && good > 0 && (
        <Switch
          label={t('check.skip', { ...numbers, count: good })}
          description={t('check.skipHint')}
          checked={skipBad}
          onChange={(event) => setSkipBad(event.currentTarget.checked)}
        />
      )}
      {rows.length > 0 && (
        <>
          <Title order={2}>{t('check.first')}</Title>
          <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t('rejected.line')}</Table.Th>
                  {shown.map((name) => (
                    <Table.Th key={name} scope="col">
                      {parameterWords(name)}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map((row) => (
                  <PreviewRow key={row.line} row={row} shown={shown} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack} disabled={isBusy}>
          {t('back')}
        </Button>
        <Button disabled={!mayImport} loading={isBusy} onClick={() => onImport(skipBad)}>
          {t('check.import', { count: good, number: numbers.good })}
        </Button>
      </Group>
    </Stack>
  );
}

type Row = Preview['rows'][number];
/** The fields with a default in the form, besides those that are always shown. Other fields come only from columns. */
const DEFAULTED: readonly Parameter[] = ['valid_for', 'product_id'];
const ALWAYS: readonly Parameter[] = ['license_key', 'status', 'expires_at', 'activations_limit'];

/** Returns the fields to show: those that have a column, and those that a default sets. */
const shownOf = (mapping: Readonly<Record<string, string>>, rows: readonly Row[]): readonly Parameter[] =>
  PARAMETERS.filter(
    (name) =>
      ALWAYS.includes(name) ||
      Object.values(mapping).includes(name) ||
      (DEFAULTED.includes(name) && rows.some(({ license }) => license?.[name])),
  );

function PreviewRow({ row: { line, license }, shown }: { row: Row; shown: readonly Parameter[] }) {
  const { t } = useTranslation('imports');
  return (
    <Table.Tr>
      <Table.Td>{formatNumber(line)}</Table.Td>
      {license ? (
        shown.map((name) => (
          <Table.Td key={name}>
            <PreviewCell license={license} name={name} />
          </Table.Td>
        ))
      ) : (
        <Table.Td colSpan={shown.length}>
          <Text size="sm" c="dimmed">
            {t('check.rejectedRow')}
          </Text>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function PreviewCell({ license, name }: { license: NonNullable<Row['license']>; name: Parameter }) {
  const { t } = useTranslation(['generators', 'licenses']);
  switch (name) {
    case 'license_key':
      return <Code>{license.license_key}</Code>;
    case 'status': {
      const status = STATUSES[license.status - 1];
      return status ? t(`licenses:status.${status}`) : '–';
    }
    case 'expires_at':
      return license.expires_at ? <Time value={license.expires_at} /> : t('generators:forever');
    case 'activations_limit':
      return license.activations_limit === 0
        ? t('generators:unlimited')
        : formatNumber(license.activations_limit);
    case 'valid_for':
      return license.valid_for === 0 ? '–' : formatNumber(license.valid_for);
    case 'entitlements':
    case 'tags':
      return license[name].join(', ') || '–';
    case 'meta':
      return valueWords('license', name, license.meta) || '–';
    default:
      return license[name] ?? '–';
  }
}
