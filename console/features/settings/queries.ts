import { queryOptions } from '@tanstack/react-query';
import { type Answer, answer, api } from '../../client/api.ts';

export type Installation = Answer<'getSettings'>;
export type Setting = Installation['settings'][number];

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => answer(api.GET('/settings', { signal })),
});
