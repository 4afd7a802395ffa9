import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { refetch } from '../../app/query-client.ts';
import { answer, api, type Item, ifMatch, type Query } from '../../client/api.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { useSaveMerged } from '../../ui/forms/conflicts.tsx';
import type { TermsValues } from '../../ui/licenses/license-terms.ts';

export type Generator = Item<'listGenerators'>;

const path = (generator_id: number) => ({ params: { path: { generator_id } } });

export const generatorsQuery = (query: Query<'listGenerators'>) =>
  queryOptions({
    queryKey: ['generators', 'list', query],
    queryFn: ({ signal }) => answer(api.GET('/generators', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const generatorQuery = (generator_id: number | undefined) =>
  queryOptions({
    queryKey: ['generators', 'one', generator_id],
    queryFn: ({ signal }) =>
      answer(api.GET('/generators/{generator_id}', { ...path(generator_id as number), signal })),
    enabled: generator_id !== undefined,
  });

/** The fields of a generator that define its keys. */
export interface Template {
  charset: string;
  chunks: number | string;
  chunk_length: number | string;
  separator: string;
  prefix: string;
  suffix: string;
}
export interface GeneratorValues extends Template, TermsValues {
  name: string;
  activations_limit: number | string;
  expires_in: number | string;
}

/** Sample keys of a template. Only the latest request counts. */
export const previewQuery = (template: Template) =>
  queryOptions({
    queryKey: ['generators', 'preview', template],
    queryFn: ({ signal }) => answer(api.POST('/generators/preview', { body: template, signal })),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    enabled: template.charset !== '',
  });

/** Returns a mutation that creates or updates a generator. */
export function useSaveGenerator(generator: Generator | null) {
  const at = path(generator?.id ?? 0);
  const saveMerged = useSaveMerged<Generator>({
    kind: 'generator',
    record: generator,
    load: () => answer(api.GET('/generators/{generator_id}', at)),
    send: (body, etag) =>
      answer(api.PATCH('/generators/{generator_id}', { ...at, body, headers: ifMatch(etag) })),
  });
  return useAction({
    /**
     * @param body all fields; for an update, only the changed ones
     * @returns null if the user went back to the form
     */
    mutationFn: (body: Partial<GeneratorValues>): Promise<Generator | null> =>
      generator ? saveMerged(body) : answer(api.POST('/generators', { body: body as GeneratorValues })),
    onSuccess: () => refetch(['generators']),
  });
}

export function useDeleteGenerator() {
  return useAction({
    mutationFn: ({ id }: Generator) => answer(api.DELETE('/generators/{generator_id}', path(id))),
    onSuccess: () => refetch(['generators']),
  });
}
