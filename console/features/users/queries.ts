import { queryOptions } from '@tanstack/react-query';
import { refetch } from '../../app/query-client.ts';
import { type Role, sessionQuery } from '../../app/session.ts';
import { type Answer, answer, api, type Body, type Item, ifMatch } from '../../client/api.ts';

export type User = Item<'listUsers'>;
export type Invitation = Answer<'inviteUser'>;

export const ROLES: readonly Role[] = ['owner', 'manager', 'support', 'viewer'];

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => answer(api.GET('/users', { signal })),
});

/** Refetches the users and the session, because the changed user may be the signed-in one. */
export const refreshUsers = () => refetch(usersQuery.queryKey, sessionQuery.queryKey);

const ofId = (id: number) => ({ params: { path: { id } } });

export const createUser = (body: Body<'createUser'>) => answer(api.POST('/users', { body }));
/** Changes a user. @param etag the version that may be changed; any version if omitted */
export const updateUser = ({ id, ...body }: Body<'updateUser'> & { id: number }, etag?: string) =>
  answer(
    api.PATCH('/users/{id}', { ...ofId(id), body, ...(etag !== undefined && { headers: ifMatch(etag) }) }),
  );
export async function loadUser(id: number): Promise<User> {
  const { items } = await answer(api.GET('/users'));
  const found = items.find((one) => one.id === id);
  if (!found) throw new Error('the user is gone');
  return found;
}
export const inviteUser = (id: number) => answer(api.POST('/users/{id}/invitation', ofId(id)));
export const removeTotp = (id: number) => answer(api.DELETE('/users/{id}/totp', ofId(id)));
