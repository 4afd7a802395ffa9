import { Stack, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { changeWords, fieldWords, valueWords } from '../../ui/change-words.ts';
import { formatTime } from '../../ui/format.ts';
import { SOURCES } from '../../ui/licenses/license-status.ts';
import { TERM_NAMES } from '../../ui/licenses/license-terms.ts';
import type { HistoryEvent } from './queries.ts';

interface Props {
  event: HistoryEvent;
  t: TFunction<'licenses'>;
}

/** Shows the details of an event in a license's history. */
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

/** Returns the details of an event, each with its label. */
function linesOf(event: HistoryEvent, t: Props['t']): [name: string, line: string][] {
  const { activation, software_name: software, version, before, after, about } = event;
  if (activation) {
    const { id, label, ip_address: address } = activation;
    const more = [address, software].filter((one) => one !== null).join(' · ');
    const held = ['borrow_hours', 'seat_expires_at']
      .filter((name) => about?.[name] !== undefined)
      .map((name) => `${fieldWords('license', name)}: ${valueWords('license', name, about?.[name])}`);
    return [
      ['label', label ?? t('history.noLabel', { id })],
      ...held.map((line): [string, string] => [line, line]),
      ...(more === '' ? [] : [['more', more] as [string, string]]),
    ];
  }
  if (event.action === 'download.create')
    return [['release', [software ?? t('history.softwareGone'), version].filter(Boolean).join(' ')]];
  if (event.action === 'activation.forget') {
    const values = { count: Number(about?.activations), first: formatTime(String(about?.first_at)) };
    return [['forgotten', t('history.forgotten', values)]];
  }
  if (event.action === 'license.create') {
    const source = SOURCES[Number(about?.source ?? after?.source) - 1];
    return source ? [['source', `${t('column.source')}: ${t(`source.${source}`)}`]] : [];
  }
  if (!before || !after) return [];
  return NAMES.filter((name) => name in after).map((name) => [
    name,
    // Name only the new key: both keys are masked and may look the same.
    name === 'license_key'
      ? t('history.keyChanged', { key: String(after[name]) })
      : changeWords('license', name, before[name], after[name]),
  ]);
}

/** The API names of the license fields to show. */
const NAMES = [
  'license_key',
  'status',
  'expires_at',
  'activations_limit',
  ...TERM_NAMES,
  'product_id',
  'order_id',
  'user_id',
  'customer_email',
  'valid_for',
  'note',
  'tags',
  'meta',
];
