import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { HistoryDetails } from './HistoryDetails.tsx';
import { type HistoryEvent, historyQuery } from './queries.ts';

const route = getRouteApi('/shell/licenses/$id');

/** The timeline of a license. */
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

const columnsOf = (t: TFunction<'licenses'>): Column<HistoryEvent>[] => [
  { id: 'at', header: t('history.at'), cell: ({ at }) => <Time value={at} /> },
  { id: 'what', header: t('history.what'), cell: (event) => actionText(event, t) },
  { id: 'change', header: t('history.change'), cell: (event) => <HistoryDetails event={event} t={t} /> },
  { id: 'who', header: t('history.who'), cell: (event) => whoText(event, t) },
  { id: 'from', header: t('history.from'), isHidden: true, cell: ({ origin }) => origin ?? '–' },
];

const ACTIONS = {
  'license.create': 'created',
  'license.update': 'changed',
  'license.delete': 'deleted',
  'license.restore': 'restored',
  'license.reveal': 'revealed',
  'activation.create': 'activated',
  'activation.deactivate': 'deactivated',
  'activation.reactivate': 'reactivated',
  'activation.extend': 'extended',
  'activation.lease': 'leased',
  'license.lease': 'fileLeased',
  'activation.delete': 'activationDeleted',
  'activation.forget': 'forgotten',
  'download.create': 'downloaded',
} as const;
function actionText({ action, activation, about }: HistoryEvent, t: TFunction<'licenses'>): string {
  const as = activation?.ended_as ?? 'deactivated';
  if (as !== 'deactivated') return t(`history.ended.${as}`);
  if (action === 'activation.extend' && about?.borrow_hours) return t('history.action.borrowed');
  return action in ACTIONS ? t(`history.action.${ACTIONS[action as keyof typeof ACTIONS]}`) : action;
}

function whoText(event: HistoryEvent, t: TFunction<'licenses'>): string {
  const { user_id: id, user_name, api_key_description: apiKey, via } = event;
  if (apiKey !== null) return t('history.apiKey', { name: apiKey });
  // 0 is a program without an API key.
  if (!id) return t('history.program');
  const name = user_name ?? t('history.user', { id });
  return via === 'cli' ? t('history.commandLine', { name }) : name;
}
