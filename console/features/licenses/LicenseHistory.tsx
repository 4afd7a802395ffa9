import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { STATUSES } from '../../ui/license-status.ts';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { type HistoryEntry, historyQuery } from './queries.ts';

const route = getRouteApi('/shell/licenses/$id');

/** What was done to a license, and by whom. */
export function LicenseHistory({ licenseId }: { licenseId: number }) {
  const { t } = useTranslation('licenses');
  const { before } = route.useSearch();
  const query = useQuery(historyQuery(licenseId, before));
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <DataTable
      name="license-history"
      label={t('tab.history')}
      columns={columns}
      query={query}
      empty={<EmptyState title={t('history.empty')} />}
    />
  );
}

const columnsOf = (t: TFunction<'licenses'>): Column<HistoryEntry>[] => [
  { id: 'at', header: t('history.at'), cell: ({ at }) => <Time value={at} /> },
  { id: 'what', header: t('history.what'), cell: ({ action }) => actionText(action, t) },
  {
    id: 'who',
    header: t('history.who'),
    cell: ({ user_id, user_name, api_key_description: name }) =>
      name === null ? (user_name ?? t('history.user', { id: user_id })) : t('history.apiKey', { name }),
  },
  { id: 'change', header: t('history.change'), cell: (entry) => <Changes entry={entry} t={t} /> },
  { id: 'from', header: t('history.from'), isHidden: true, cell: ({ origin }) => origin ?? '–' },
];

const ACTIONS = {
  'license.create': 'created',
  'license.update': 'changed',
  'license.delete': 'deleted',
  'license.reveal': 'revealed',
  'activation.delete': 'activationDeleted',
} as const;
const actionText = (action: string, t: TFunction<'licenses'>): string =>
  action in ACTIONS ? t(`history.action.${ACTIONS[action as keyof typeof ACTIONS]}`) : action;

/** Names of what is told of a license, by the names of the API. */
const NAMES = {
  license_key: 'key',
  status: 'status',
  expires_at: 'expires',
  activations_limit: 'activations',
  product_id: 'product',
  order_id: 'order',
  user_id: 'customer',
  valid_for: 'validFor',
} as const;

/** Of an update what was and is; of anything else what there is to tell. */
function Changes({ entry: { before, after, about }, t }: { entry: HistoryEntry; t: TFunction<'licenses'> }) {
  const names = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter(
    (name) => before && after && (name in before || name in after),
  );
  if (names.length === 0) return <span>{typeof about?.label === 'string' ? about.label : '–'}</span>;
  return (
    <Stack gap={0}>
      {names.map((name) => (
        <Text key={name} size="sm">
          {t(`column.${NAMES[name]}`)}: {valueText(name, before?.[name], t)} →{' '}
          {valueText(name, after?.[name], t)}
        </Text>
      ))}
    </Stack>
  );
}

function valueText(name: keyof typeof NAMES, value: unknown, t: TFunction<'licenses'>) {
  if (name === 'expires_at') return typeof value === 'string' ? <Time value={value} /> : t('never');
  if (value === null || value === undefined) return '–';
  const status = name === 'status' ? STATUSES[Number(value) - 1] : undefined;
  if (status) return t(`status.${status}`);
  if (name === 'activations_limit' && value === 0) return t('noLimit');
  return String(value);
}
