import { countDownloads } from '../../app/releases/downloads.ts';
import { optional } from '../../domain/fields.ts';
import { snakeCased } from '../../domain/names.ts';
import { type DownloadCount, downloadFilterShape } from '../../domain/releases/download.ts';
import { define } from '../define.ts';
import { orFail } from '../failure.ts';
import { ALL, DAYS, flagsOf } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { grouped, table } from '../table.ts';
import { nameFlags, releaseNamed, softwareNamed } from './named.ts';

export const stats = define({
  name: 'stats',
  description: 'Count the downloads of releases, in total and by day',
  flags: {
    software: nameFlags.software,
    ...flagsOf(
      {
        version: optional(nameFlags.version.field),
        from: downloadFilterShape.from,
        to: downloadFilterShape.to,
      },
      { version: ['version', 'Only downloads of this version'], ...DAYS },
    ),
  },
  examples: {
    'All downloads': 'latchkey release stats --software acme',
    'The downloads of a version in March, in a script':
      'latchkey release stats --software acme --version 1.4.0 --from 2027-03-01 --to 2027-03-31 --json | jq .downloads',
  },
  action: ({ run, values: { software: named, version, from, to } }) =>
    opening(run, async ({ store }) => {
      const software = await softwareNamed(store.read, named);
      const release = version === null ? null : await releaseNamed(store.read, software, version);
      const filter = { releaseId: release?.id ?? null, from, to };
      const { items: days } = orFail(
        await countDownloads(store.read, String(software.id), filter, ALL, OWNER),
      );
      const totals = totalsOf(days);
      const downloads = totals.reduce((sum, one) => sum + one.downloads, 0);
      const shown = { downloads, releases: totals.map(snakeCased), days: days.map(snakeCased) };
      answer(run, shown, () => {
        if (days.length === 0) return 'No downloads.';
        const rows = [...totals, { version: 'all', downloads }];
        const byRelease = table(rows, { VERSION: 'version', DOWNLOADS: downloadsOf });
        const byDay = table(days, { 'DAY (UTC)': 'day', VERSION: 'version', DOWNLOADS: downloadsOf });
        return `${byRelease}\n\n${byDay}`;
      });
    }),
});

const downloadsOf = ({ downloads }: Pick<DownloadCount, 'downloads'>): string => grouped(downloads);

type Total = Omit<DownloadCount, 'day'>;

/** Returns the total of each release, newest first. */
function totalsOf(days: readonly DownloadCount[]): Total[] {
  const totals = new Map<number, Total>();
  for (const { releaseId, version, downloads } of days) {
    const earlier = totals.get(releaseId)?.downloads ?? 0;
    totals.set(releaseId, { releaseId, version, downloads: earlier + downloads });
  }
  return [...totals.values()].sort((a, b) => b.releaseId - a.releaseId);
}
