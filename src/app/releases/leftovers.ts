import type { Artifacts, Settled } from '../../storage/storage.ts';
import type { Artifact } from '../../store/store.ts';
import type { Services } from '../execute.ts';

/** Files of interrupted uploads, and of deleted releases that could not be removed. */
export interface Leftovers {
  /** Incomplete uploads. */
  partialUploads: number;
  /** Storage keys that no release has. */
  orphans: string[];
}

/** Finds leftovers. Does not count uploads in progress, in this or another process. */
export async function findLeftovers(
  artifacts: Artifacts,
  which: Settled,
  isUsed: (key: string) => boolean | Promise<boolean>,
): Promise<Leftovers> {
  const orphans = await findOrphans(artifacts, which, isUsed);
  return { partialUploads: await artifacts.countPartialUploads(which), orphans };
}

async function findOrphans(
  artifacts: Artifacts,
  which: Settled,
  isUsed: (key: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const orphans: string[] = [];
  for await (const key of artifacts.settledKeys(which)) if (!(await isUsed(key))) orphans.push(key);
  return orphans;
}

/** Removes leftovers. Returns what it found. */
export async function removeLeftovers(
  { artifacts, store }: Pick<Services, 'artifacts' | 'store'>,
  which: Settled,
): Promise<Leftovers> {
  // List dead owners before the orphans: a process that dies later may leave new orphans, which the next sweep must find.
  const swept = await artifacts.deadOwners();
  // Listing a bucket takes many requests. Without a dead owner, only bytes of unknown processes can be orphans.
  const mayFind = which.byAge || swept.size > 0;
  const isUsed = (key: string) => store.read.artifacts.isUsed(key);
  const orphans = mayFind ? await findOrphans(artifacts, which, isUsed) : [];
  for (const key of orphans) await artifacts.remove(key);
  return { orphans, partialUploads: await artifacts.removePartialUploads(which, swept) };
}

/** Finds the artifacts whose file is missing or incomplete. */
export async function findMissing(artifacts: Artifacts, stored: Iterable<Artifact>): Promise<Artifact[]> {
  const missing: Artifact[] = [];
  for (const one of stored) if ((await artifacts.size(one.key)) !== one.size) missing.push(one);
  return missing;
}
