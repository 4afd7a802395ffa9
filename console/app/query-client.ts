import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../client/errors.ts';

/** Whether repeating the request would get the same error, so that a retry is pointless. */
export const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status < 500;

/**
 * Requests are sent even if the browser reports that it is offline: the server may run on the same machine. If it does not,
 * they fail at once instead of waiting for the network.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // If the server is busy or unreachable.
      retry: (failures, error) => !isFinal(error) && failures < 2,
      staleTime: 10_000,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Refetches the queries whose keys begin with one of these keys. */
export const refetch = (...keys: (readonly unknown[])[]): Promise<unknown> =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** Refetches every query that shows licenses or activations. */
export const licensesChanged = (): Promise<unknown> =>
  refetch(['licenses'], ['activations'], ['dashboard'], ['products']);
