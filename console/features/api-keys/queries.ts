import { queryOptions } from '@tanstack/react-query';
import { refetch } from '../../app/query-client.ts';
import { type Answer, answer, api, type Body, type Item, ifMatch } from '../../client/api.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { instantOf } from '../../ui/format.ts';
import { useSaveMerged } from '../../ui/forms/conflicts.tsx';
import { productsQuery } from '../../ui/products/queries.ts';

export type ApiKey = Item<'listApiKeys'>;
export type Endpoint = Answer<'listApiKeys'>['endpoints'][number];
/** A new key with its secret. */
export type MadeApiKey = Answer<'createApiKey'> & Partial<Pick<Answer<'rotateApiKey'>, 'replaced'>>;
/** The request body. Null lifts a restriction. */
export type ApiKeyInput = Required<Body<'createApiKey'>>;
export const GRACES = ['0', '1d', '7d', '30d', '90d'] as const;
export type Grace = (typeof GRACES)[number];

/** Whether an API key may make event endpoints. */
export const makesEndpoints = ({ endpoints }: ApiKey): boolean =>
  endpoints?.includes('events.manage') ?? true;

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => answer(api.GET('/api-keys', { signal })),
});

/** A mutation that refetches API keys and products. */
function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  return useAction({
    mutationFn: change,
    onSuccess: () => refetch(apiKeysQuery.queryKey, productsQuery.queryKey),
  });
}

export const useCreateApiKey = () =>
  useChange((body: ApiKeyInput) => answer(api.POST('/api-keys', { body })));
/** Returns a mutation that saves the form of an API key. It resolves to null if the user went back to the form. */
export function useSaveApiKey(apiKey: ApiKey | null) {
  const params = { path: { id: apiKey?.id ?? 0 } };
  const saveMerged = useSaveMerged<ApiKey>({
    kind: 'api_key',
    record: apiKey,
    load: async () => {
      const { items } = await answer(api.GET('/api-keys'));
      return items.find(({ id }) => id === apiKey?.id) ?? (apiKey as ApiKey);
    },
    send: (body, etag) => answer(api.PATCH('/api-keys/{id}', { params, body, headers: ifMatch(etag) })),
  });
  return useChange((changes: Partial<ApiKeyInput>) => saveMerged(changes));
}
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
