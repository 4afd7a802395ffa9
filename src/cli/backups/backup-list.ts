import { isoTime } from '../../app/backups/back-up.ts';
import { headsOf } from '../../app/backups/make-backup.ts';
import { findArchives, openArchive } from '../../installation/backing-up.ts';
import { backupFolder } from '../../installation/service.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { settingsOf } from '../settings.ts';
import { grouped, printable, table } from '../table.ts';

/** `backup list` */
export async function list(run: Run): Promise<void> {
  const folder = backupFolder(settingsOf(run).config);
  const found = await headsOf(findArchives(folder), openArchive);
  const items = found.map(({ path, when, bytes, head, problem }) => ({
    file: path,
    begun_at: head?.begun_at ?? isoTime(when),
    bytes,
    engine: head?.engine ?? null,
    latchkey: head?.latchkey ?? null,
    problem,
  }));
  answer(run, { folder, backups: items }, () =>
    items.length === 0
      ? `There are no backups in ${printable(folder)}.`
      : table(
          ['FILE', 'BEGUN', 'BYTES', 'ENGINE', 'VERSION', 'PROBLEM'],
          items.map((one) => [
            ...[one.file, one.begun_at, grouped(one.bytes), one.engine, one.latchkey, one.problem],
          ]),
        ),
  );
}
