import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Item, type Query } from '../../client/api.ts';
import { lastSecond, midnight } from '../../ui/day-bounds.ts';

export type Entry = Item<'listAudit'>;
export type AuditAction = Entry['action'];
export type Via = Entry['via'];

/** The query of the address; actions are separated by commas. */
export interface AuditSearch {
  action?: string;
  via?: Via;
  /** As it was typed: 'license 12'. */
  subject?: string;
  user_id?: number;
  api_key_id?: number;
  /** YYYY-MM-DD in the user's time zone, both inclusive. */
  from?: string;
  to?: string;
  before?: number;
}

/** The audit entries that match a search. @param subject the searched record in the server's form: `license:12` */
export const auditQuery = (
  { action, from, to, subject: _, ...search }: AuditSearch,
  subject: string | null,
) => {
  const query = {
    ...search,
    ...(subject !== null && { subject }),
    ...(action && { action: action.split(',') as AuditAction[] }),
    from: midnight(from),
    to: lastSecond(to),
  } satisfies Query<'listAudit'>;
  return queryOptions({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => answer(api.GET('/audit', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    // Every action adds an entry, so fetch again each time.
    staleTime: 0,
  });
};

/** The users offered in the filter. */
export const auditUsersQuery = queryOptions({
  queryKey: ['audit', 'users'],
  queryFn: ({ signal }) => answer(api.GET('/audit/users', { signal })),
});
