import { queryOptions } from '@tanstack/react-query';
import { type Answer, answer, api, type Body } from '../../client/api.ts';

export type SetupLink = Answer<'readSetupLink'>;

/** What the server says about an invitation link. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['setup', token],
    queryFn: () => answer(api.POST('/setup/link', { body: { token } })),
    retry: false,
    gcTime: 0,
  });

export const setUp = (body: Body<'setUp'>) => answer(api.POST('/setup', { body }));
