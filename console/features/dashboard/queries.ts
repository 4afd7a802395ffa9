import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { licensesChanged } from '../../app/query-client.ts';
import { type Answer, answer, api } from '../../client/api.ts';
import { useAction } from '../../ui/use-action.ts';

export type Dashboard = Answer<'getDashboard'>;
export type Day = Dashboard['days'][number];
export type ExpiringLicense = Dashboard['expiring']['items'][number];

/** A day with the counts that one product lacks. */
type UsedDay = Day & Record<'activations' | 'deactivations' | 'validations', number>;
export const hasUsage = (day: Day): day is UsedDay => day.activations !== null;

/** Days to show; the first is the default. */
export const RANGES = [30, 90] as const;
export type Range = (typeof RANGES)[number];

/** @param product counts only what belongs to it */
export const dashboardQuery = (days: Range, product: number | undefined) =>
  queryOptions({
    queryKey: ['dashboard', days, product],
    queryFn: ({ signal }) =>
      answer(api.GET('/dashboard', { params: { query: { days, product_id: product } }, signal })),
    placeholderData: keepPreviousData,
    // Every action adds an entry, so always refetch.
    staleTime: 0,
    refetchInterval: 60_000,
  });

/** Extends a license; null if it no longer expires. */
export function useExtend() {
  return useAction({
    mutationFn: async ({ id, days }: { id: number; days: number }) => {
      const body = { ids: [id], extend_days: days };
      const { previous } = await answer(api.POST('/licenses/bulk', { body }));
      return previous[0] ?? null;
    },
    onSuccess: licensesChanged,
  });
}
