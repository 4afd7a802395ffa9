import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { actorText } from '../../ui/actor-text.ts';
import { textOf } from '../../ui/change-words.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { HistoryDetails } from './HistoryDetails.tsx';
import { type HistoryEvent, historyQuery } from './queries.ts';

const route = getRouteApi('/shell/licenses/$id');

/** The timeline of a license. */
export function LicenseHistory({ licenseId }: { licenseId: number }) {
  const { t } = useTranslation('licenses');
  const { before } = route.useSearch();
  const query = useQuery(historyQuery(licenseId, before));
  const { t: audit } = useTranslation('audit');
  const columns = useMemo(() => columnsOf(t, audit), [t, audit]);
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

const columnsOf = (t: TFunction<'licenses'>, audit: TFunction<'audit'>): Column<HistoryEvent>[] =>
  listColumns((id) => t(`history.${id}`), {
    at: { cell: ({ at }) => <Time value={at} /> },
    what: { cell: (event) => actionText(event, t, audit) },
    change: { cell: (event) => <HistoryDetails event={event} t={t} /> },
    who: { cell: (event) => (isUnknown(event) ? '–' : actorText(audit, event)) },
    from: { isHidden: true, cell: ({ origin }) => origin ?? '–' },
  });

/**
 * Whether nobody knows who created the license: if many licenses were created together, the audit trail has a single entry
 * for all of them.
 */
const isUnknown = ({ action, via, user_id }: HistoryEvent): boolean =>
  action === 'license.create' && via === null && user_id === null;

function actionText(
  { action, activation, about }: HistoryEvent,
  t: TFunction<'licenses'>,
  audit: TFunction<'audit'>,
): string {
  const as = activation?.ended_as ?? 'deactivated';
  if (as !== 'deactivated') return t(`history.ended.${as}`);
  if (action === 'activation.extend' && about?.borrow_hours) return audit('borrowed');
  return textOf('licenses', `history.action.${action}`) ?? textOf('audit', `action.${action}`) ?? action;
}
