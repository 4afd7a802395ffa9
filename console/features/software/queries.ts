import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queryClient, refetch } from '../../app/query-client.ts';
import { type Answer, answer, api, type Body, type Item, ifMatch, type Query } from '../../client/api.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { useSaveMerged } from '../../ui/forms/conflicts.tsx';
import { changesOf } from '../../ui/forms/form-values.ts';
import { productsQuery } from '../../ui/products/queries.ts';

export type Software = Answer<'getSoftware'>;
/** Software in the list, with its latest version and the number of active installs. */
export type ListedSoftware = Item<'listSoftware'>;
export type Release = Item<'listReleases'>;
export type Channel = Release['channel'];
export type Downloads = Answer<'countDownloads'>;

export const CHANNELS = ['stable', 'rc', 'beta', 'alpha'] as const satisfies readonly Channel[];

/** The server's limit, in bytes. */
export const FILE_MAX = 2 * 1024 ** 3;

export const softwareListQuery = (query: Query<'listSoftware'>) =>
  queryOptions({
    queryKey: ['software', 'list', query],
    queryFn: ({ signal }) => answer(api.GET('/software', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

const path = (software_id: number) => ({ params: { path: { software_id } } });

export const softwareQuery = (id: number) =>
  queryOptions({
    queryKey: ['software', id],
    queryFn: ({ signal }) => answer(api.GET('/software/{software_id}', { ...path(id), signal })),
  });

export const releasesQuery = (id: number, query: Query<'listReleases'>) =>
  queryOptions({
    queryKey: ['software', id, 'releases', query],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/software/{software_id}/releases', {
          params: { path: { software_id: id }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** The downloads of software by day. @param days the number of days, up to and including today, in UTC */
export const downloadsQuery = (id: number, days: number) =>
  queryOptions({
    queryKey: ['software', id, 'downloads', days],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
      return answer(
        api.GET('/software/{software_id}/downloads', {
          params: { path: { software_id: id }, query: { from } },
          signal,
        }),
      );
    },
    placeholderData: keepPreviousData,
  });

export interface SoftwareValues {
  name: string;
  slug: string;
  access: Software['access'];
  /** Null for all products. */
  product_ids: number[] | null;
  url: string;
  type: string;
  tested: string;
  requires: string;
  requires_php: string;
  icons: Picture[];
  banners: Picture[];
}

/** Refetches software lists, and product names, which come from software. */
const softwareChanged = (queryKey: readonly string[]): Promise<unknown> =>
  refetch(queryKey, productsQuery.queryKey);

/** An image URL and its name. */
export interface Picture {
  name: string;
  url: string;
}

const picturesOf = (pictures: readonly Picture[]): Record<string, string> =>
  Object.fromEntries(pictures.map(({ name, url }) => [name.trim(), url.trim()]));

const bodyOf = ({ product_ids, icons, banners, ...values }: SoftwareValues) => ({
  ...values,
  icons: picturesOf(icons),
  banners: picturesOf(banners),
  product_ids: product_ids ?? [],
});

/** Returns a mutation that creates software, or updates its changed fields. */
export function useSaveSoftware(software: Software | null) {
  const at = path(software?.id ?? 0);
  const saveMerged = useSaveMerged<Software>({
    kind: 'software',
    record: software,
    load: () => answer(api.GET('/software/{software_id}', at)),
    send: (body, etag) =>
      answer(api.PATCH('/software/{software_id}', { ...at, body, headers: ifMatch(etag) })),
  });
  return useAction({
    /** @returns null if the user went back to the form */
    mutationFn: (input: { values: SoftwareValues; before: SoftwareValues }): Promise<Software | null> => {
      const body = bodyOf(input.values);
      return software
        ? saveMerged(changesOf(bodyOf(input.before), body))
        : answer(api.POST('/software', { body: { ...body, slug: body.slug || undefined } }));
    },
    onSuccess: () => softwareChanged(['software']),
  });
}

export function useDeleteSoftware() {
  return useAction({
    mutationFn: ({ id }: Software) => answer(api.DELETE('/software/{software_id}', path(id))),
    onSuccess: (_, { id }) => {
      queryClient.removeQueries({ queryKey: ['software', id] });
      return softwareChanged(['software', 'list']);
    },
  });
}

export type ReleaseChanges = Omit<Body<'updateRelease'>, 'file' | 'version'>;

const releasePath = ({ software_id, id }: Release) => ({
  params: { path: { software_id, release_id: id } },
});

const patchRelease = (release: Release, body: ReleaseChanges, etag: string) =>
  answer(
    api.PATCH('/software/{software_id}/releases/{release_id}', {
      ...releasePath(release),
      body,
      headers: ifMatch(etag),
    }),
  );
/** Refetches what shows releases: the page of the software, and software lists, which have the latest version. */
export const releasesChanged = (softwareId: number): Promise<unknown> =>
  refetch(['software', softwareId], ['software', 'list']);

/** Returns a mutation that changes a release, unless it was changed since it was fetched. */
export function useChangeRelease() {
  return useAction({
    mutationFn: ({ release, changes }: { release: Release; changes: ReleaseChanges }) =>
      patchRelease(release, changes, release.etag),
    onSettled: (_, __, { release }) => releasesChanged(release.software_id),
  });
}

/** Returns a mutation that saves the form of a release. */
export function useSaveRelease(release: Release) {
  const saveMerged = useSaveMerged<Release>({
    kind: 'release',
    record: release,
    load: () => answer(api.GET('/software/{software_id}/releases/{release_id}', releasePath(release))),
    send: (changes, etag) => patchRelease(release, changes, etag),
  });
  return useAction({ mutationFn: saveMerged, onSuccess: () => releasesChanged(release.software_id) });
}

export function useDeleteRelease() {
  return useAction({
    mutationFn: (release: Release) =>
      answer(api.DELETE('/software/{software_id}/releases/{release_id}', releasePath(release))),
    onSuccess: (_, { software_id }) => releasesChanged(software_id),
  });
}
