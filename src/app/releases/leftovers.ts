import type { Artifacts, Settled } from '../../storage/storage.ts';
import type { Artifact } from '../../store/store.ts';
import type { Services } from '../execute.ts';

/** What crashes in the middle of uploads have left behind, and bytes of deleted releases that could not be removed. */
export interface Leftovers {
  /** Uploads that did not come in whole. */
  partialUploads: number;
  /** Keys of bytes that no release has. */
  orphans: string[];
}

/** Looks for them. Uploads that are under way, here or in another process, are none. */
export async function findLeftovers(
  artifacts: Artifacts,
  which: Settled,
  isUsed: (key: string) => boolean | Promise<boolean>,
): Promise<Leftovers> {
  const orphans: string[] = [];
  for await (const key of artifacts.settledKeys(which)) if (!(await isUsed(key))) orphans.push(key);
  return { partialUploads: await artifacts.countPartialUploads(which), orphans };
}

/** Removes them: what there was. */
export async function removeLeftovers(
  { artifacts, store }: Pick<Services, 'artifacts' | 'store'>,
  which: Settled,
): Promise<Leftovers> {
  // Before the orphans are looked for: who dies meanwhile, with orphans that were not found, is left to the next time.
  const swept = await artifacts.deadOwners();
  const { orphans } = await findLeftovers(artifacts, which, (key) => store.read.artifacts.isUsed(key));
  for (const key of orphans) await artifacts.remove(key);
  return { orphans, partialUploads: await artifacts.removePartialUploads(which, swept) };
}

/** Those of the artifacts whose bytes the storage does not have, or not all of them. */
export async function findMissing(artifacts: Artifacts, stored: Iterable<Artifact>): Promise<Artifact[]> {
  const missing: Artifact[] = [];
  for (const one of stored) if ((await artifacts.size(one.key)) !== one.size) missing.push(one);
  return missing;
}
