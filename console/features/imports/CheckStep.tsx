import { Alert, Button, Code, Group, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { STATUSES } from '../../ui/license-status.ts';
import { Time } from '../../ui/Time.tsx';
import { RejectedLines } from './RejectedLines.tsx';
import type { Preview } from './use-import.ts';

interface Props {
  preview: Preview;
  isBusy: boolean;
  onBack: () => void;
  onImport: (skipBad: boolean) => void;
}

/** Shows what an import would do, before anything is written. */
export function CheckStep({ preview, isBusy, onBack, onImport }: Props) {
  const { t } = useTranslation('imports');
  const { lines, good, rejected, rejected_total: bad, rows } = preview;
  const [skipBad, setSkipBad] = useState(false);
  const numbers = { good: formatNumber(good), bad: formatNumber(bad), lines: formatNumber(lines) };
  const mayImport = good > 0 && (bad === 0 || skipBad);
  return (
    <Stack>
      <Alert
        color={bad === 0 && good > 0 ? 'teal' : 'orange'}
        icon={bad === 0 && good > 0 ? <CircleCheck aria-hidden /> : <TriangleAlert aria-hidden />}
        title={t(bad === 0 ? 'check.good' : 'check.bad', { ...numbers, count: bad === 0 ? good : bad })}
        role="status"
      >
        {lines === 0 ? t('check.empty') : t('check.nothingYet')}
      </Alert>
      {bad > 0 && <RejectedLines rejected={rejected} total={bad} />}
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
                  <Table.Th scope="col">{t('parameter.license_key')}</Table.Th>
                  <Table.Th scope="col">{t('parameter.status')}</Table.Th>
                  <Table.Th scope="col">{t('parameter.expires_at')}</Table.Th>
                  <Table.Th scope="col">{t('parameter.activations_limit')}</Table.Th>
                  <Table.Th scope="col">{t('parameter.product_id')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map((row) => (
                  <PreviewRow key={row.line} row={row} />
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

function PreviewRow({ row: { line, license } }: { row: Preview['rows'][number] }) {
  const { t } = useTranslation(['imports', 'generators', 'licenses']);
  if (!license)
    return (
      <Table.Tr>
        <Table.Td>{line}</Table.Td>
        <Table.Td colSpan={5}>
          <Text size="sm" c="dimmed">
            {t('imports:check.rejectedRow')}
          </Text>
        </Table.Td>
      </Table.Tr>
    );
  const status = STATUSES[license.status - 1];
  return (
    <Table.Tr>
      <Table.Td>{line}</Table.Td>
      <Table.Td>
        <Code>{license.license_key}</Code>
      </Table.Td>
      <Table.Td>{status ? t(`licenses:status.${status}`) : '–'}</Table.Td>
      <Table.Td>
        {license.expires_at ? <Time value={license.expires_at} /> : t('generators:forever')}
      </Table.Td>
      <Table.Td>
        {license.activations_limit === 0
          ? t('generators:unlimited')
          : formatNumber(license.activations_limit)}
      </Table.Td>
      <Table.Td>{license.product_id ?? '–'}</Table.Td>
    </Table.Tr>
  );
}
