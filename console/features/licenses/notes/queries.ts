import { queryOptions } from '@tanstack/react-query';
import { licensesChanged, refetch } from '../../../app/query-client.ts';
import { type Answer, answer, api, ifMatch } from '../../../client/api.ts';
import { useAction } from '../../../ui/actions/use-action.ts';
import { useSaveMerged } from '../../../ui/forms/conflicts.tsx';

export type Notes = Answer<'getLicenseNotes'>;

const ofLicense = (license_id: number) => ({ params: { path: { license_id } } });

export const notesQuery = (id: number) =>
  queryOptions({
    queryKey: ['licenses', 'notes', id],
    queryFn: ({ signal }) => answer(api.GET('/licenses/{license_id}/notes', { ...ofLicense(id), signal })),
  });

/** The tags of all licenses. No retry: pages work without them. */
export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: async ({ signal }) => (await answer(api.GET('/tags', { signal }))).items,
  staleTime: 60_000,
  retry: false,
});

/** Returns a mutation that saves changed notes. It resolves to null if the user went back to the form. */
export function useSaveNotes(id: number, notes: Notes) {
  const saveMerged = useSaveMerged<Notes>({
    kind: 'license',
    record: notes,
    load: () => answer(api.GET('/licenses/{license_id}/notes', ofLicense(id))),
    send: (body, etag) =>
      answer(api.PATCH('/licenses/{license_id}/notes', { ...ofLicense(id), body, headers: ifMatch(etag) })),
  });
  return useAction({
    mutationFn: saveMerged,
    onSuccess: () => Promise.all([licensesChanged(), refetch(tagsQuery.queryKey)]),
  });
}

/** A row of the metadata form: one value. */
export interface MetaRow {
  name: string;
  value: string | null;
}

/** Returns the rows of a form. A name with several values gets one row for each. */
export const rowsOf = (meta: Notes['meta']): MetaRow[] =>
  Object.entries(meta).flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })));

export const metaOf = (rows: readonly MetaRow[]): Notes['meta'] =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ name }) => name.trim())].map(([name, some]) => [
      name,
      some.length === 1 ? (some[0]?.value ?? null) : some.map(({ value }) => value),
    ]),
  );
