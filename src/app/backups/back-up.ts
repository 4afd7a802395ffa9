import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type ArchiveWriter, OtherBytes } from '../../archive/archive.ts';
import { type Artifacts, BytesMissing } from '../../storage/storage.ts';
import type { CopySource, Row, Table } from '../../store/backups/copy.ts';
import { FileLost } from '../releases/file-lost.ts';
import {
  type BackupFile,
  type BackupTable,
  fileEntry,
  HEAD,
  type Head,
  MANIFEST,
  type Manifest,
  SUMS,
  sumsText,
  tableEntry,
} from './backup-format.ts';
import { createSum, LEFT_OUT, lineOf, metaIn } from './copied-rows.ts';

/** Bytes of lines in one entry: what is held in memory, but for one row. */
const ENTRY_BYTES = 4 * 1024 ** 2;
/** Of gzip: keys and hashes are most of it and cannot be compressed, so that more effort gives little. */
const LEVEL = 3;
/** How often the files of releases are gone through, where releases are deleted all the time. */
const TRIES = 10;

const packed = promisify<Buffer, { level: number }, Buffer>(gzip);

/** What is done, of how much. */
export type OnProgress = (what: 'bytes of files' | 'rows', done: number, total: number) => void;
export interface Watched {
  signal: AbortSignal;
  onProgress: OnProgress;
}

/** What is backed up. */
export interface BackedUp {
  /** All rows as of the moment that it is called. */
  openSource(): Promise<CopySource>;
  /** Null where the files of releases are to be left out. */
  files: Pick<Artifacts, 'open'> | null;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/**
 * Writes all that there is into an archive. Files that releases have are taken first, then the database as of one moment,
 * and before its rows the files that came meanwhile: what is written refers to no file that is not there.
 * @throws FileLost, StoreUnavailable, StorageUnavailable, errors of the system, or what the signal was aborted with
 */
export async function backUp(
  { openSource, files, clock }: BackedUp,
  to: ArchiveWriter,
  head: Head,
  watched: Watched,
): Promise<Manifest> {
  const sums = new Map<string, string>();
  const add: ArchiveWriter['add'] = async (name, ...entry) => {
    watched.signal.throwIfAborted();
    const sum = await to.add(name, ...entry);
    sums.set(name, sum);
    return sum;
  };
  const addBytes = (name: string, bytes: Buffer) => add(name, bytes.length, [bytes]);
  const addJson = (name: string, value: unknown) =>
    addBytes(name, Buffer.from(`${JSON.stringify(value, null, 1)}\n`));

  await addJson(HEAD, head);
  const copied = new Map<string, BackupFile>();
  const source = files
    ? await openWithFiles(openSource, copied, (file, onBytes) => addFile(file, files, add, onBytes), watched)
    : await openSource();
  const readAt = isoTime(clock());
  try {
    const manifest: Manifest = {
      read_at: readAt,
      migrations: [...source.migrations],
      master_keys: await masterKeysOf(source),
      tables: await addTables(source, addBytes, watched),
      artifacts: files ? await inUse(source, copied) : null,
    };
    await addJson(MANIFEST, manifest);
    const text = Buffer.from(sumsText(sums));
    await to.add(SUMS, text.length, [text]);
    return manifest;
  } finally {
    await source.close();
  }
}

/** 2026-11-21T22:30:00Z */
export const isoTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

type CopyFile = (file: BackupFile, onBytes: (bytes: number) => void) => Promise<void>;

/** @returns the database as of a moment of whose files all are in `copied` */
async function openWithFiles(
  openSource: () => Promise<CopySource>,
  copied: Map<string, BackupFile>,
  copyFile: CopyFile,
  { signal, onProgress }: Watched,
): Promise<CopySource> {
  let done = 0;
  // At first the database is not held meanwhile: its log would grow.
  const first = await openSource();
  const known = await filesOf(first).finally(first.close);
  let gone = await copyAll(known);
  for (let tries = 1; ; tries++) {
    const source = await openSource();
    try {
      const files = await filesOf(source);
      const lost = files.find(({ key }) => gone.has(key));
      if (lost) throw gone.get(lost.key);
      gone = await copyAll(files);
      if (gone.size === 0) return source;
      // What is gone belonged to a release that was deleted just now, or it is missing: a later moment tells.
      if (tries === TRIES) throw [...gone.values()][0];
    } catch (error) {
      await source.close();
      throw error;
    }
    await source.close();
  }

  /** Those that are not copied yet. @returns what kept us from it, by the keys of those that are not there */
  async function copyAll(files: readonly BackupFile[]): Promise<Map<string, FileLost>> {
    const missing = new Map<string, FileLost>();
    const wanted = files.filter(({ key }) => !copied.has(key));
    const total = done + wanted.reduce((sum, { size }) => sum + size, 0);
    for (const file of wanted) {
      try {
        await copyFile(file, (bytes) => {
          signal.throwIfAborted();
          done += bytes;
          onProgress('bytes of files', done, total);
        });
        copied.set(file.key, file);
      } catch (error) {
        if (!(error instanceof BytesMissing || error instanceof OtherBytes)) throw error;
        const what = error instanceof OtherBytes ? error.message : 'is not there';
        missing.set(file.key, new FileLost(`${file.key} ${what}`, { cause: error }));
      }
    }
    return missing;
  }
}

async function addFile(
  { key, size, sha256 }: BackupFile,
  files: Pick<Artifacts, 'open'>,
  add: ArchiveWriter['add'],
  onBytes: (bytes: number) => void,
): Promise<void> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    // Of nothing there is nothing to open.
    if (size === 0) return;
    for await (const chunk of await files.open(key, { start: 0, end: size - 1 })) {
      onBytes(chunk.length);
      yield chunk;
    }
  }
  await add(fileEntry(key), size, bytes(), sha256);
}

/** Of all releases. None where the database is older than releases are. */
async function filesOf(source: CopySource): Promise<BackupFile[]> {
  const table = source.tables.find(({ name }) => name === 'artifacts');
  const files: BackupFile[] = [];
  if (table) for await (const rows of source.rows(table)) files.push(...rows.map(fileOf));
  return files;
}
export const fileOf = (row: Row): BackupFile => ({
  key: String(row.storage_key),
  size: Number(row.size),
  sha256: String(row.sha256),
  in_use: true,
});

async function inUse(source: CopySource, copied: ReadonlyMap<string, BackupFile>): Promise<BackupFile[]> {
  const used = new Set((await filesOf(source)).map(({ key }) => key));
  return [...copied.values()].map((file) => ({ ...file, in_use: used.has(file.key) }));
}

/** The one that the database was made with, and, while one is exchanged for another, each that opens it. */
async function masterKeysOf(source: CopySource): Promise<string[]> {
  const found = new Set<string>();
  for (const [name, value] of await metaIn(source)) {
    if (name === 'master_key_fingerprint') found.add(value);
    const [, bundled] = /^key_bundle:([0-9a-f]+)$/.exec(name) ?? [];
    if (bundled) found.add(bundled);
  }
  return [...found];
}

async function addTables(
  source: CopySource,
  add: (name: string, bytes: Buffer) => Promise<string>,
  { signal, onProgress }: Watched,
): Promise<BackupTable[]> {
  const counts = new Map<Table, number>();
  for (const table of source.tables) counts.set(table, await source.count(table));
  const written = source.tables.filter(({ name }) => name !== LEFT_OUT);
  const total = written.reduce((sum, table) => sum + (counts.get(table) ?? 0), 0);
  let done = 0;
  const tables: BackupTable[] = [];
  for (const table of source.tables) {
    const isLeftOut = table.name === LEFT_OUT;
    const sum = createSum(table);
    let entries = 0;
    let lines: string[] = [];
    let bytes = 0;
    const flush = async () => {
      if (lines.length === 0) return;
      await add(
        tableEntry(table.name, ++entries),
        await packed(Buffer.from(lines.join('')), { level: LEVEL }),
      );
      [lines, bytes] = [[], 0];
    };
    for await (const rows of isLeftOut ? [] : source.rows(table)) {
      // Rows come without a wait: let a server that makes the backup answer requests in between.
      await nextTurn();
      signal.throwIfAborted();
      for (const row of rows) {
        const line = lineOf(table.columns, row);
        sum.addLine(line);
        lines.push(line);
        bytes += line.length;
        if (bytes >= ENTRY_BYTES) await flush();
      }
      done += rows.length;
      onProgress('rows', done, total);
    }
    await flush();
    const { columns, key, references } = table;
    tables.push({
      ...sum.end(),
      ...{ columns: [...columns], key: [...key], references: [...references], entries },
      last_id: await source.lastId(table),
      left_out: isLeftOut ? (counts.get(table) ?? 0) : 0,
    });
  }
  return tables;
}
