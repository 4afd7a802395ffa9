import { queryOptions } from '@tanstack/react-query';
import { refetch } from '../../app/query-client.ts';
import { sessionQuery } from '../../app/session.ts';
import { answer, api, type Body, type Item } from '../../client/api.ts';

export type OwnSession = Item<'listSessions'>;

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => answer(api.GET('/account', { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) => answer(api.GET('/sessions', { signal })),
});

/** Refetches the session and the account after a change. */
export const refreshAccount = () => refetch(sessionQuery.queryKey, accountQuery.queryKey);

export const updateAccount = (body: Body<'updateAccount'>) => answer(api.PATCH('/account', { body }));
export const changePassword = (body: Body<'changePassword'>) =>
  answer(api.POST('/account/password', { body }));
export const beginTotp = () => answer(api.POST('/account/totp'));
export const confirmTotp = (body: Body<'confirmTotp'>) => answer(api.POST('/account/totp/confirm', { body }));
export const removeTotp = () => answer(api.DELETE('/account/totp'));
export const replaceRecoveryCodes = () => answer(api.POST('/account/recovery-codes'));
export const endSession = (id: number) => answer(api.DELETE('/sessions/{id}', { params: { path: { id } } }));
export const endOtherSessions = () =>
  answer(api.DELETE('/sessions', { params: { query: { others: true } } }));
export const endAllSessions = () => answer(api.DELETE('/sessions', { params: { query: {} } }));
