import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { licensesChanged } from '../../app/query-client.ts';
import { type Answer, answer, api } from '../../client/api.ts';

export type Dashboard = Answer<'getDashboard'>;
export type Day = Dashboard['days'][number];
export type ExpiringLicense = Dashboard['expiring']['items'][number];

/** Days to show; the shorter when nothing is chosen. */
export const RANGES = [30, 90] as const;
export type Range = (typeof RANGES)[number];

export const dashboardQuery = (days: Range) =>
  queryOptions({
    queryKey: ['dashboard', days],
    queryFn: ({ signal }) => answer(api.GET('/dashboard', { params: { query: { days } }, signal })),
    placeholderData: keepPreviousData,
    // Whatever is done anywhere is told here.
    staleTime: 0,
    refetchInterval: 60_000,
  });

/** Lets a license expire later; null where it is one that never expires by now. */
export function useExtend() {
  return useMutation({
    mutationFn: async ({ id, days }: { id: number; days: number }) => {
      const body = { ids: [id], extend_days: days };
      const { previous } = await answer(api.POST('/licenses/bulk', { body }));
      return previous[0] ?? null;
    },
    onSuccess: licensesChanged,
  });
}
