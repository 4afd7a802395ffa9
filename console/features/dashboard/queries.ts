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

/** Lets a license expire at another time. */
export function useExtend() {
  return useMutation({
    mutationFn: ({ id, expires_at }: Pick<ExpiringLicense, 'id' | 'expires_at'>) =>
      answer(
        api.PATCH('/licenses/{license_id}', { params: { path: { license_id: id } }, body: { expires_at } }),
      ),
    onSuccess: licensesChanged,
  });
}
