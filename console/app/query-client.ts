import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../client/errors.ts';

/** An answer that would be the same again; what is busy or away is asked twice more. */
const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status < 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => !isFinal(error) && failures < 2,
      staleTime: 10_000,
    },
    // Asked for while the network is away, a change must say so instead of waiting.
    mutations: { networkMode: 'always' },
  },
});

/** Has everything that shows licenses or activations fetch them anew. */
export const licensesChanged = (): Promise<unknown> =>
  Promise.all(
    ['licenses', 'activations', 'dashboard', 'products'].map((noun) =>
      queryClient.invalidateQueries({ queryKey: [noun] }),
    ),
  );
