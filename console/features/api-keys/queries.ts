import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { type Answer, answer, api, type Item } from '../../client/api.ts';
import type { operations } from '../../client/schema.d.ts';
import { instantOf } from '../../ui/format.ts';
import { productsQuery } from '../../ui/products/queries.ts';
import { useAction } from '../../ui/use-action.ts';

export type ApiKey = Item<'listApiKeys'>;
export type Endpoint = Answer<'listApiKeys'>['endpoints'][number];
/** A new key with its secret. */
export type MadeApiKey = Answer<'createApiKey'> & Partial<Pick<Answer<'rotateApiKey'>, 'replaced'>>;
type Body = operations['createApiKey']['requestBody']['content']['application/json'];
/** The request body; null for no restriction. */
export type ApiKeyInput = { [Name in keyof Body]-?: Body[Name] | null };
export const GRACES = ['0', '1d', '7d', '30d', '90d'] as const;
export type Grace = (typeof GRACES)[number];

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => answer(api.GET('/api-keys', { signal })),
});

/** A mutation that refetches API keys and products. */
function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useAction({
    mutationFn: change,
    onSuccess: () =>
      Promise.all(
        [apiKeysQuery, productsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })),
      ),
  });
}

export const useCreateApiKey = () =>
  useChange((input: ApiKeyInput) => answer(api.POST('/api-keys', { body: input as Body })));
export const useUpdateApiKey = () =>
  useChange(({ id, changes }: { id: number; changes: Partial<ApiKeyInput> }) =>
    answer(api.PATCH('/api-keys/{id}', { params: { path: { id } }, body: changes as Body })),
  );
export const useRotateApiKey = () =>
  useChange(({ id, grace }: { id: number; grace: Grace }) =>
    answer(api.POST('/api-keys/{id}/rotate', { params: { path: { id } }, body: { grace } })),
  );
export const useRevokeApiKey = () =>
  useChange((id: number) => answer(api.DELETE('/api-keys/{id}', { params: { path: { id } } })));

const SOON_MS = 14 * 86_400_000;

/** The current status of a key. */
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
