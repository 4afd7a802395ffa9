import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Item, type Query } from '../../client/api.ts';

export type Entry = Item<'listAudit'>;
export type AuditAction = Entry['action'];
export type Via = Entry['via'];

/** What the address has: several actions with commas between them. */
export interface AuditSearch {
  action?: string;
  via?: Via;
  subject?: string;
  user_id?: number;
  api_key_id?: number;
  /** YYYY-MM-DD, UTC, both included. */
  from?: string;
  to?: string;
  before?: number;
}

export const auditQuery = ({ action, to, ...search }: AuditSearch) => {
  const query = {
    ...search,
    ...(action && { action: action.split(',') as AuditAction[] }),
    ...(to && { to: `${to} 23:59:59` }),
  } satisfies Query<'listAudit'>;
  return queryOptions({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => answer(api.GET('/audit', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    // Whatever is done anywhere is told here.
    staleTime: 0,
  });
};

/** Who may be chosen in the filters. */
export const auditUsersQuery = queryOptions({
  queryKey: ['audit', 'users'],
  queryFn: ({ signal }) => answer(api.GET('/audit/users', { signal })),
});
