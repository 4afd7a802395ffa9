import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ArchiveDamaged, type NewArchive, OtherBytes } from '../../archive/archive.ts';
import { type Artifacts, BytesMissing } from '../../storage/storage.ts';
import { type CopySource, STAGED } from '../../store/backups/copy.ts';
import { FileLost } from '../releases/file-lost.ts';
import {
  type BackupFile,
  type BackupTable,
  FORM,
  fileEntry,
  fileOf,
  HEAD,
  type Head,
  MANIFEST,
  type Manifest,
  SUMS,
  tableEntry,
} from './backup-format.ts';
import { openBackup } from './open-backup.ts';
import { createSum, linesOf, metaOf, type Step, stepOf, type Watched } from './rows.ts';
import { type Verified, verifyBackup } from './verify-backup.ts';

/** Characters of lines in one entry. Memory holds this much, and at most one more chunk of rows. */
const ENTRY_LENGTH = 4 * 1024 ** 2;
/** Compression level of gzip. Hashes and encrypted keys do not compress, so a higher level gains little. */
const LEVEL = 3;
/** Maximum number of attempts, each with a new snapshot, while releases are deleted before their files are copied. */
const ROUNDS = 10;

const packed = promisify<string, { level: number }, Buffer>(gzip);

/** What to back up. */
export interface BackedUp extends Pick<Head, 'engine' | 'latchkey'> {
  /** Takes a snapshot of the database. */
  openSource(): Promise<CopySource>;
  /** The files of releases; null to leave them out. */
  files: Pick<Artifacts, 'open'> | null;
  /** When the backup was begun, in milliseconds since the epoch. */
  at: number;
  clock(): number;
}

export interface MadeBackup {
  head: Head;
  manifest: Manifest;
  verified: Verified;
  bytes: number;
}

/**
 * Makes a backup, reads all of it back, and only then gives the archive its final name.
 * @throws FileLost, ArchiveDamaged, ArchiveRefused, StoreUnavailable, StorageUnavailable, errors of the system, and the
 *   reason of the signal
 */
export async function makeBackup(from: BackedUp, archive: NewArchive, watched: Watched): Promise<MadeBackup> {
  const step = stepOf(watched);
  const { latchkey, engine, at } = from;
  const head: Head = { form: FORM, latchkey, engine, begun_at: isoTime(at) };
  const manifest = await write(from, archive, head, step);
  const reader = await archive.finish();
  try {
    const verified = await verifyBackup(await openBackup(reader), step, null);
    const [problem] = verified.problems;
    if (problem) throw new ArchiveDamaged(`the new backup did not pass verification: ${problem}`);
    watched.signal.throwIfAborted();
    await archive.keep();
    return { head, manifest, verified, bytes: reader.bytes };
  } finally {
    await reader.close();
  }
}

/** Returns a time as `2026-11-21T22:30:00Z`. @param at milliseconds since the epoch */
export const isoTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

type AddBytes = (entry: string, bytes: Buffer) => Promise<void>;

async function write(
  { openSource, files, clock }: BackedUp,
  archive: NewArchive,
  head: Head,
  step: Step,
): Promise<Manifest> {
  const sums: string[] = [];
  const add: NewArchive['add'] = async (entry, ...content) => {
    const sum = await archive.add(entry, ...content);
    sums.push(`${sum}  ${entry}\n`);
    return sum;
  };
  const addBytes: AddBytes = async (entry, bytes) => void (await add(entry, bytes.length, [bytes]));
  const addJson = (entry: string, value: unknown) =>
    addBytes(entry, Buffer.from(`${JSON.stringify(value, null, 1)}\n`));

  await addJson(HEAD, head);
  const { source, artifacts } = files
    ? await openWithFiles(openSource, (file) => addFile(file, files, add, step))
    : { source: await openSource(), artifacts: null };
  try {
    const manifest: Manifest = {
      read_at: isoTime(clock()),
      migrations: [...source.migrations],
      master_keys: await masterKeysOf(source),
      tables: await addTables(source, addBytes, step),
      artifacts,
    };
    await addJson(MANIFEST, manifest);
    await addBytes(SUMS, Buffer.from(sums.join('')));
    return manifest;
  } finally {
    await source.close();
  }
}

/**
 * Copies the files of all releases.
 * @param copy throws BytesMissing before it writes anything
 * @returns a snapshot whose files were all copied, and the copied files
 */
async function openWithFiles(
  openSource: BackedUp['openSource'],
  copy: (file: BackupFile) => Promise<void>,
): Promise<{ source: CopySource; artifacts: BackupFile[] }> {
  const copied = new Map<string, BackupFile>();
  // Copy most files before opening the snapshot that stays open: while a snapshot is open, SQLite's WAL grows.
  const early = await openSource();
  let missing = await copyAll(await filesOf(early).finally(early.close));
  for (let round = 1; ; round++) {
    const source = await openSource();
    try {
      const files = await filesOf(source);
      const lost = files.find(({ key }) => missing.has(key));
      if (lost) throw new FileLost(`${lost.key} is not there`);
      missing = await copyAll(files);
      if (missing.size === 0) {
        const used = new Set(files.map(({ key }) => key));
        return {
          source,
          artifacts: [...copied.values()].map((file) => ({ ...file, in_use: used.has(file.key) })),
        };
      }
      // Usually their releases were just deleted: a later snapshot no longer refers to them.
      if (round === ROUNDS) throw new FileLost(`${[...missing][0]} is not there`);
    } catch (error) {
      await source.close();
      throw error;
    }
    await source.close();
  }

  /** Copies files not copied yet. @returns the keys of files that are missing from the storage */
  async function copyAll(files: readonly BackupFile[]): Promise<Set<string>> {
    const missing = new Set<string>();
    for (const file of files.filter(({ key }) => !copied.has(key))) {
      try {
        await copy(file);
        copied.set(file.key, file);
      } catch (error) {
        if (!(error instanceof BytesMissing)) throw error;
        missing.add(file.key);
      }
    }
    return missing;
  }
}

async function addFile(
  { key, size, sha256 }: BackupFile,
  files: Pick<Artifacts, 'open'>,
  add: NewArchive['add'],
  step: Step,
): Promise<void> {
  const bytes = size === 0 ? null : await files.open(key, { start: 0, end: size - 1 });
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes ?? []) {
      await step('bytes of files', chunk.length);
      yield chunk;
    }
  }
  const sum = await add(fileEntry(key), size, watched()).catch((error) => {
    // An archive may refuse the entry before it reads the bytes.
    bytes?.destroy();
    if (!(error instanceof OtherBytes || error instanceof BytesMissing)) throw error;
    const what = error instanceof OtherBytes ? error.message : 'is cut short';
    throw new FileLost(`${key} ${what}`, { cause: error });
  });
  if (sum !== sha256) throw new FileLost(`${key} has the SHA-256 ${sum} instead of ${sha256}`);
}

/** Returns the files of all releases; none if the schema is older than releases. */
async function filesOf(source: CopySource): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for (const table of source.tables.filter(({ name }) => name === 'artifacts'))
    for await (const rows of source.rows(table)) files.push(...rows.map(fileOf));
  return files;
}

/** Returns fingerprints of the master key and, during a rotation, of each key that opens the database. */
async function masterKeysOf(source: CopySource): Promise<string[]> {
  const found = [...(await metaOf(source))].flatMap(([name, value]) =>
    name === 'master_key_fingerprint' ? [value] : (/^key_bundle:([0-9a-f]+)$/.exec(name)?.slice(1) ?? []),
  );
  return [...new Set(found)];
}

async function addTables(source: CopySource, add: AddBytes, step: Step): Promise<BackupTable[]> {
  const tables: BackupTable[] = [];
  for (const table of source.tables) {
    const { columns, key, references } = table;
    const sum = createSum(table);
    let [entries, text] = [0, ''];
    const flush = async () => {
      if (text !== '') await add(tableEntry(table.name, ++entries), await packed(text, { level: LEVEL }));
      text = '';
    };
    for await (const rows of source.rows(table)) {
      const lines = linesOf(table, rows);
      sum.add(lines, rows.length);
      text += lines;
      if (text.length >= ENTRY_LENGTH) await flush();
      await step('rows', rows.length);
    }
    await flush();
    tables.push({
      ...sum.end(),
      columns: [...columns],
      key: [...key],
      references: [...references],
      entries,
      last_id: await source.lastId(table),
      left_out: table.name === STAGED ? source.leftOut : 0,
    });
  }
  return tables;
}
