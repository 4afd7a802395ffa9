import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { licensesChanged } from '../../app/query-client.ts';
import { type Answer, answer, api } from '../../client/api.ts';
import { useAction } from '../../ui/actions/use-action.ts';

export type Dashboard = Answer<'getDashboard'>;
export type Day = Dashboard['days'][number];
export type ExpiringLicense = Dashboard['expiring']['items'][number];

/** A day with usage counts. For a single product the API sends null instead of these counts. */
type UsedDay = Day & Record<'activations' | 'deactivations' | 'validations', number>;
export const hasUsage = (day: Day): day is UsedDay => day.activations !== null;

/** The periods to choose from, in days. The first is the default. */
export const RANGES = [30, 90] as const;
export type Range = (typeof RANGES)[number];

/** The figures of the dashboard. @param product restricts them to one product */
export const dashboardQuery = (days: Range, product: number | undefined) =>
  queryOptions({
    queryKey: ['dashboard', days, product],
    queryFn: ({ signal }) =>
      answer(api.GET('/dashboard', { params: { query: { days, product_id: product } }, signal })),
    placeholderData: keepPreviousData,
    // Every action adds an audit entry, so fetch again each time.
    staleTime: 0,
    refetchInterval: 60_000,
  });

/** Returns a mutation that extends a license. It resolves to the previous values; null if the license no longer expires. */
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
