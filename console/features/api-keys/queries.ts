import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Answer, answer, api, type Item } from '../../client/api.ts';
import type { operations } from '../../client/schema.d.ts';
import { instantOf } from '../../ui/format.ts';

export type ApiKey = Item<'listApiKeys'>;
export type Endpoint = Answer<'listApiKeys'>['endpoints'][number];
/** A key that was made just now, with its secret. */
export type MadeApiKey = Answer<'createApiKey'> & Partial<Pick<Answer<'rotateApiKey'>, 'replaced'>>;
export type NewApiKey = operations['createApiKey']['requestBody']['content']['application/json'];
export const GRACES = ['0', '1d', '7d', '30d', '90d'] as const;
export type Grace = (typeof GRACES)[number];

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => answer(api.GET('/api-keys', { signal })),
});

/** A change to API keys; the list is fetched anew when it is done. */
function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: apiKeysQuery.queryKey }),
  });
}

export const useCreateApiKey = () => useChange((body: NewApiKey) => answer(api.POST('/api-keys', { body })));
export const useRotateApiKey = () =>
  useChange(({ id, grace }: { id: number; grace: Grace }) =>
    answer(api.POST('/api-keys/{id}/rotate', { params: { path: { id } }, body: { grace } })),
  );
export const useRevokeApiKey = () =>
  useChange((id: number) => answer(api.DELETE('/api-keys/{id}', { params: { path: { id } } })));

const SOON_MS = 14 * 86_400_000;

/** Whether a key is good, now. */
export function stateOf(
  { revoked_at: revoked, expires_at: expires }: ApiKey,
  now = Date.now(),
): 'active' | 'ending' | 'expired' | 'revoked' {
  if (revoked !== null) return 'revoked';
  if (expires === null) return 'active';
  const left = instantOf(expires).getTime() - now;
  if (left < 0) return 'expired';
  return left < SOON_MS ? 'ending' : 'active';
}
