import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Item, type Query } from '../../client/api.ts';

export type Generator = Item<'listGenerators'>;

export const generatorsQuery = (query: Query<'listGenerators'>) =>
  queryOptions({
    queryKey: ['generators', 'list', query],
    queryFn: ({ signal }) => answer(api.GET('/generators', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
