import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Item } from '../../../client/api.ts';

export type Trashed = Item<'listTrash'>;

export const trashQuery = (query: { license_key?: string | undefined; before?: number | undefined }) =>
  queryOptions({
    queryKey: ['licenses', 'trash', query],
    queryFn: ({ signal }) => answer(api.GET('/trash', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const removeForGood = (license_id: number) =>
  answer(api.DELETE('/trash/{license_id}', { params: { path: { license_id } } }));
