import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type MadeBackup, makeBackup, outdated } from '../../app/backups/make-backup.ts';
import { VERSION } from '../../config/version.ts';
import { integer, optional } from '../../domain/fields.ts';
import { beginArchive, findArchives, openArchive, openSource } from '../../installation/backing-up.ts';
import { readFlags } from '../flags.ts';
import { answer, note } from '../output.ts';
import type { Run } from '../run.ts';
import { type Given, settingsOf } from '../settings.ts';
import { counted, grouped, printable, table } from '../table.ts';
import { backupFolder, pathGiven } from './backup-folder.ts';
import { createProgresses } from './backup-progress.ts';

const keepShape = { keep: optional(integer({ min: 1, max: 10_000 })) };

/** `backup` */
export async function make(run: Run, given: Given, signal: AbortSignal): Promise<void> {
  const { config } = settingsOf(run);
  const { keep } = readFlags(keepShape, given);
  const to = pathGiven(given, 'to') ?? backupFolder(config);
  const at = Date.now();
  const started = performance.now();
  const source = await openSource(config);
  const progress = createProgresses(run);
  try {
    const archive = await beginArchive(to, at);
    let made: MadeBackup;
    try {
      made = await makeBackup(
        { ...source, files: given.withoutArtifacts ? null : source.files, clock: Date.now },
        archive,
        { latchkey: VERSION, engine: source.engine, at },
        { signal, onProgress: progress.update },
      );
    } finally {
      progress.end();
      await archive.close();
    }
    const removed = keep === null ? [] : await removeOld({ made: archive.path, at }, keep);
    const seconds = (performance.now() - started) / 1000;
    for (const { left_out: leftOut } of made.manifest.tables) {
      if (leftOut > 0)
        note(
          run,
          `${counted(leftOut, 'license')} of imports or generations that are not done were left out.`,
        );
    }
    answer(run, shown(archive.path, made, removed, seconds), () =>
      words(archive.path, source.database, made, removed, seconds),
    );
  } finally {
    await source.close();
  }
}

async function removeOld(made: { made: string; at: number }, keep: number): Promise<string[]> {
  const removed = await outdated(findArchives(dirname(made.made)), made, keep, openArchive);
  for (const path of removed) rmSync(path);
  return removed;
}

const leftOutOf = ({ manifest }: MadeBackup): number =>
  manifest.tables.reduce((sum, one) => sum + one.left_out, 0);

const shown = (file: string, made: MadeBackup, removed: readonly string[], seconds: number) => ({
  file,
  bytes: made.bytes,
  ...made.head,
  read_at: made.manifest.read_at,
  tables: made.verified.tables,
  artifacts: made.verified.files,
  left_out: leftOutOf(made),
  removed,
  seconds: Number(seconds.toFixed(1)),
});

function words(
  file: string,
  database: string,
  { verified, bytes }: MadeBackup,
  removed: readonly string[],
  seconds: number,
): string {
  const { tables, files } = verified;
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  return [
    table(
      ['TABLE', 'ROWS', 'SHA-256'],
      tables.map((one) => [one.name, grouped(one.rows), one.sha256]),
    ),
    '',
    `Backed up ${printable(database)} in ${seconds.toFixed(1)} s: ${counted(rows, 'row')}, ${files ? counted(files.count, 'file') : 'no files'} of releases; all was read back.`,
    `${printable(file)} (${grouped(bytes)} bytes)`,
    ...(files ? [] : ['The files of releases were left out.']),
    ...removed.map((path) => `Removed ${printable(path)}.`),
    'The master key is not in it. Without that it cannot be read: keep both, apart from each other.',
  ].join('\n');
}
