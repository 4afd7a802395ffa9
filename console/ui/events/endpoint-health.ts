import { queryOptions } from '@tanstack/react-query';
import { answer, api, type Item } from '../../client/api.ts';

export type Endpoint = Item<'listFailingEventEndpoints'>;

/**
 * The endpoints whose deliveries fail, or whose receiver has answered that it is gone. For the badge and the dashboard
 * notice.
 */
export const failingEndpointsQuery = queryOptions({
  queryKey: ['events', 'attention'],
  queryFn: ({ signal }) => answer(api.GET('/event-endpoints/attention', { signal })),
  staleTime: 30_000,
  refetchInterval: 60_000,
});

export type Health = 'enabled' | 'retrying' | 'failing' | 'gone' | 'disabled';

/** The health of an endpoint, from its state. */
export function healthOf({ state, disabled_as, needs_attention }: Endpoint): Health {
  if (state === 'disabled') return disabled_as === 'gone' ? 'gone' : 'disabled';
  if (state === 'failing') return 'failing';
  return needs_attention ? 'retrying' : 'enabled';
}

/** The description of an endpoint, or its address; null if it has neither. */
export const nameOf = ({ description, url }: Pick<Endpoint, 'description' | 'url'>): string | null =>
  description || url || null;
