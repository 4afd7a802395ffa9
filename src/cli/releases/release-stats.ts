import type { Command } from 'commander';
import { countDownloads } from '../../app/releases/downloads.ts';
import { type DownloadCount, type DownloadCountFilter, downloadFilterShape } from '../../domain/download.ts';
import { optional } from '../../domain/fields.ts';
import type { Software } from '../../domain/software.ts';
import type { Reads } from '../../store/store.ts';
import { failureOf } from '../failure.ts';
import { addShapeFlags, type Meanings, readFlags } from '../flags.ts';
import { addExamples } from '../help.ts';
import { OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentDownloadCount } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { grouped, table } from '../table.ts';
import { NAME_MEANINGS, nameShape, releaseNamed, softwareNamed } from './named.ts';

/** Counts read at a time. */
const CHUNK = 1_000;

const statsShape = {
  software: nameShape.software,
  version: optional(nameShape.version.field),
  from: downloadFilterShape.from,
  to: downloadFilterShape.to,
};
const MEANINGS: Meanings<typeof statsShape> = {
  software: NAME_MEANINGS.software,
  version: ['version', 'Only of this version'],
  from: ['day', 'Only from this day on, UTC: YYYY-MM-DD'],
  to: ['day', 'Only until this day, itself included'],
};

export function addStats(release: Command, run: Run): void {
  const command = release.command('stats').description('Count the downloads of releases, in all and by day');
  addShapeFlags(command, statsShape, MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    ['All that there ever were', 'latchkey release stats --software acme'],
    [
      'Of a version in March, in a script',
      'latchkey release stats --software acme --version 1.4.0 --from 2027-03-01 --to 2027-03-31 --json | jq .downloads',
    ],
  ]);
  command.action((given: Given) => {
    const { software: named, version, from, to } = readFlags(statsShape, given);
    return reading(run, async ({ store }) => {
      const software = await softwareNamed(store.read, named);
      const release = version === null ? null : await releaseNamed(store.read, software, version);
      const filter = { releaseId: release?.id ?? null, from, to };
      const days = await allCounts(store.read, software, filter);
      const totals = totalsOf(days);
      const downloads = totals.reduce((sum, one) => sum + one.downloads, 0);
      const shown = { downloads, releases: totals.map(presentTotal), days: days.map(presentDownloadCount) };
      answer(run, shown, () => statsWords(days, totals, downloads));
    });
  });
}

async function allCounts(
  reads: Reads,
  { id }: Software,
  filter: DownloadCountFilter,
): Promise<DownloadCount[]> {
  const all: DownloadCount[] = [];
  for (let offset = 0; ; offset += CHUNK) {
    const counts = await countDownloads(reads, String(id), filter, { offset, limit: CHUNK }, OWNER);
    if (!counts.ok) throw failureOf(counts.refusal);
    all.push(...counts.value.items);
    if (counts.value.items.length < CHUNK) return all;
  }
}

type Total = Omit<DownloadCount, 'day'>;

/** By release, newest first. */
function totalsOf(days: readonly DownloadCount[]): Total[] {
  const totals = new Map<number, Total>();
  for (const { releaseId, version, downloads } of days) {
    const earlier = totals.get(releaseId)?.downloads ?? 0;
    totals.set(releaseId, { releaseId, version, downloads: earlier + downloads });
  }
  return [...totals.values()].sort((a, b) => b.releaseId - a.releaseId);
}

const presentTotal = ({ releaseId, ...total }: Total) => ({ release_id: releaseId, ...total });

function statsWords(days: readonly DownloadCount[], totals: readonly Total[], downloads: number): string {
  if (days.length === 0) return 'No downloads.';
  const byRelease = table(
    ['VERSION', 'DOWNLOADS'],
    [...totals.map((one) => [one.version, grouped(one.downloads)]), ['all', grouped(downloads)]],
  );
  const byDay = table(
    ['DAY (UTC)', 'VERSION', 'DOWNLOADS'],
    days.map((one) => [one.day, one.version, grouped(one.downloads)]),
  );
  return `${byRelease}\n\n${byDay}`;
}
