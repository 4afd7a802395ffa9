import { Stack, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { SOURCES, STATUSES } from '../../ui/license-status.ts';
import { Time } from '../../ui/Time.tsx';
import type { HistoryEvent } from './queries.ts';

interface Props {
  event: HistoryEvent;
  t: TFunction<'licenses'>;
}

/** What there is to tell of something that has happened to a license. */
export function HistoryDetails({ event, t }: Props) {
  const lines = linesOf(event, t);
  if (lines.length === 0) return <span>–</span>;
  return (
    <Stack gap={0} miw={150}>
      {lines.map(([name, line]) => (
        <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}

/** Each under a name of its own. */
function linesOf(event: HistoryEvent, t: Props['t']): [name: string, line: ReactNode][] {
  const { activation, software_name: software, version, before, after, about } = event;
  if (activation) {
    const { id, label, ip_address: address } = activation;
    const more = [address, software].filter((one) => one !== null).join(' · ');
    const lines: [string, ReactNode][] = [['label', label ?? t('history.noLabel', { id })]];
    return more === '' ? lines : [...lines, ['more', more]];
  }
  if (event.action === 'download.create')
    return [['release', [software ?? t('history.softwareGone'), version].filter(Boolean).join(' ')]];
  if (event.action === 'license.create') {
    const source = SOURCES[Number(about?.source ?? after?.source) - 1];
    return source ? [['source', `${t('column.source')}: ${t(`source.${source}`)}`]] : [];
  }
  if (!before || !after) return [];
  return NAMES.filter((name) => name in after).map((name) => [
    name,
    name === 'license_key' ? (
      // Both are masked, and may look the same.
      t('history.keyChanged', { key: String(after[name]) })
    ) : (
      <>
        {t(`column.${COLUMNS[name]}`)}: {valueText(name, before[name], t)} → {valueText(name, after[name], t)}
      </>
    ),
  ]);
}

/** Names of what is told of a license, by the names of the API. */
const COLUMNS = {
  license_key: 'key',
  status: 'status',
  expires_at: 'expires',
  activations_limit: 'activations',
  product_id: 'product',
  order_id: 'order',
  user_id: 'customer',
  valid_for: 'validFor',
} as const;
type Name = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Name[];

function valueText(name: Name, value: unknown, t: Props['t']): ReactNode {
  if (name === 'expires_at') return typeof value === 'string' ? <Time value={value} /> : t('never');
  if (value === null || value === undefined) return t('none');
  const status = name === 'status' ? STATUSES[Number(value) - 1] : undefined;
  if (status) return t(`status.${status}`);
  if (name === 'activations_limit' && value === 0) return t('noLimit');
  if (name === 'valid_for') return value === 0 ? t('none') : t('days', { count: Number(value) });
  return String(value);
}
