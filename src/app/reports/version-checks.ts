import { SYSTEM } from '../../domain/actor.ts';
import { type Clock, toDatetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { createWriteBehind } from '../write-behind.ts';

interface Checked {
  softwareId: number;
  version: string;
  checks: number;
}

/** Adds to the daily counts of the versions that ask for updates. Versions without a release do not count. */
export const countVersions = defineCommand({
  name: 'count-versions',
  guarded: true,
  audit: { never: 'counters' },
  run: async (
    { releases, reports },
    { day, counts }: { day: string; counts: readonly Checked[] },
  ): Promise<null> => {
    const found = await Promise.all(
      counts.map(async ({ softwareId, version, checks }) => {
        const release = await releases.findByVersion(softwareId, version);
        return release ? [{ releaseId: release.id, checks }] : [];
      }),
    );
    // Every node locks the rows in the same order, so that two nodes cannot deadlock.
    const inOrder = found.flat().toSorted((one, other) => one.releaseId - other.releaseId);
    await reports.countChecks(day, inOrder);
    return null;
  },
});

/** Counts the versions that programs report in update checks. */
export type VersionCounter = ReturnType<typeof createVersionCounter>;

/** Returns a counter in memory. A killed process loses counts that it has not flushed. */
export function createVersionCounter(execute: Executes<typeof countVersions>, clock: Clock) {
  const write = (counted: readonly (readonly [string, number])[]) => {
    const counts = counted.map(([key, checks]): Checked => {
      const [softwareId, version = ''] = key.split(' ');
      return { softwareId: Number(softwareId), version, checks };
    });
    return execute('count-versions', { day: toDatetime(clock()).slice(0, 10), counts }, SYSTEM);
  };
  const { note, flush } = createWriteBehind(write, (earlier: number, later: number) => earlier + later);
  return {
    /** Counts one update check. @param version a valid version, which has no spaces */
    count: (softwareId: number, version: string) => note(`${softwareId} ${version}`, 1),
    flush,
  };
}
