import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ArchiveDamaged, type ArchiveReader } from '../../archive/archive.ts';
import type { CopySource, Row, Table } from '../../store/backups/copy.ts';
import {
  type BackupFile,
  type BackupTable,
  fileEntry,
  HEAD,
  type Head,
  MANIFEST,
  type Manifest,
  readHead,
  readManifest,
  readSums,
  SUMS,
  tableEntry,
} from './backup-format.ts';
import { createSum, LEFT_OUT, rowOf } from './copied-rows.ts';

/** Rows handed on at a time. */
const ROWS = 250;
/** What an entry of a table has unpacked at most; what would be more is not ours. */
const UNPACKED_MAX = 256 * 1024 ** 2;
/** Of an entry that is held in memory whole, and of the first one. */
const HELD_MAX = 512 * 1024 ** 2;
const HEAD_MAX = 64 * 1024;

const unpacked = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** What is in a backup. Everything that is read of it is compared with its checksum on the way. */
export interface Backup {
  head: Head;
  manifest: Manifest;
  /** Its rows, as a database would answer them. */
  source: Omit<CopySource, 'close'>;
  /** The bytes of a file of a release. */
  file(file: BackupFile): AsyncIterable<Uint8Array>;
}

/** What the first entry of an archive says, where it is a backup. @throws ArchiveDamaged, and errors of the system */
export async function headOf(archive: ArchiveReader): Promise<Head> {
  if ([...archive.entries.keys()][0] !== HEAD || (archive.entries.get(HEAD) ?? 0) > HEAD_MAX)
    throw new ArchiveDamaged(`it does not begin with ${HEAD}: it is no backup of Latchkey`);
  return readHead(await held(archive, HEAD));
}

/**
 * Looks a backup over: that it is whole, and has just the entries that it says it has; not yet, what is in them.
 * @throws ArchiveDamaged, and errors of the system
 */
export async function openBackup(archive: ArchiveReader): Promise<Backup> {
  const head = await headOf(archive);
  const sums = readSums((await held(archive, SUMS)).toString('utf8'));
  // In their order, too: nothing was taken away, added, doubled or exchanged.
  mustBeSame([...archive.entries.keys()], [...sums.keys(), SUMS]);
  const summed = async (name: string): Promise<Buffer> => {
    const bytes = await held(archive, name);
    mustHaveSum(name, createHash('sha256').update(bytes).digest('hex'), sums);
    return bytes;
  };
  await summed(HEAD);
  const manifest = readManifest(await summed(MANIFEST));
  const { tables, artifacts } = manifest;
  // Before so many names are made up.
  if (tables.reduce((sum, { entries }) => sum + entries, 0) > sums.size)
    throw new ArchiveDamaged(`${MANIFEST} tells of more entries than there are`);
  const filled = tables.flatMap(({ name, entries }) =>
    Array.from({ length: entries }, (_, i) => tableEntry(name, i + 1)),
  );
  const files = (artifacts ?? []).map(({ key }) => fileEntry(key));
  mustBeSame([...sums.keys()], [HEAD, ...files, ...filled, MANIFEST]);
  for (const { key, size } of artifacts ?? []) {
    if (archive.entries.get(fileEntry(key)) !== size)
      throw new ArchiveDamaged(`${fileEntry(key)} has not the ${size} bytes that it must have`);
  }

  return {
    head,
    manifest,
    source: sourceOf(manifest, summed),
    async *file({ key, sha256 }) {
      const name = fileEntry(key);
      const hash = createHash('sha256');
      for await (const chunk of archive.read(name)) {
        hash.update(chunk);
        yield chunk;
      }
      const sum = hash.digest('hex');
      mustHaveSum(name, sum, sums);
      if (sum !== sha256) throw new ArchiveDamaged(`${name} is not the file that ${MANIFEST} tells of`);
    },
  };
}

function sourceOf(
  { migrations, tables }: Manifest,
  read: (entry: string) => Promise<Buffer>,
): Omit<CopySource, 'close'> {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const told = ({ name }: Table) => byName.get(name) as BackupTable;
  return {
    migrations,
    tables: tables.map(({ name, columns, key, references }) => ({ name, columns, key, references })),
    count: async (table) => (table.name === LEFT_OUT ? told(table).left_out : told(table).rows),
    lastId: async (table) => told(table).last_id,
    async *rows(table) {
      const { name, entries, rows, sha256 } = told(table);
      const sum = createSum(table);
      for (let nth = 1; nth <= entries; nth++) {
        const entry = tableEntry(name, nth);
        const text = await textOf(entry, await read(entry));
        let some: Row[] = [];
        for (const line of linesOf(text)) {
          sum.addLine(line);
          some.push(rowIn(entry, table.columns, line));
          if (some.length === ROWS) {
            yield some;
            some = [];
          }
        }
        if (some.length > 0) yield some;
      }
      const found = sum.end();
      if (found.rows !== rows || found.sha256 !== sha256)
        throw new ArchiveDamaged(
          `tables/${name} has ${found.rows} rows with another SHA-256 than ${MANIFEST} says`,
        );
    },
  };
}

async function textOf(entry: string, bytes: Buffer): Promise<string> {
  try {
    return (await unpacked(bytes, { maxOutputLength: UNPACKED_MAX })).toString('utf8');
  } catch (error) {
    throw new ArchiveDamaged(`${entry} cannot be unpacked: ${(error as Error).message}`, { cause: error });
  }
}

/** Each with its end. */
function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at) + 1 || text.length;
    yield text.slice(at, end);
    at = end;
  }
}

function rowIn(entry: string, columns: readonly string[], line: string): Row {
  try {
    return rowOf(columns, line);
  } catch (error) {
    throw new ArchiveDamaged(`${entry} has a line that is no row: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function held(archive: ArchiveReader, name: string): Promise<Buffer> {
  const size = archive.entries.get(name);
  if (size === undefined) throw new ArchiveDamaged(`${name} is missing`);
  if (size > HELD_MAX) throw new ArchiveDamaged(`${name} is too large for what it is`);
  const parts: Buffer[] = [];
  for await (const chunk of archive.read(name)) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

function mustHaveSum(name: string, sum: string, sums: ReadonlyMap<string, string>): void {
  if (sum !== sums.get(name))
    throw new ArchiveDamaged(`${name} was changed: its SHA-256 is not that of ${SUMS}`);
}

function mustBeSame(found: readonly string[], expected: readonly string[]): void {
  const [there, due] = [new Set(found), new Set(expected)];
  const missing = expected.find((name) => !there.has(name));
  if (missing) throw new ArchiveDamaged(`${missing} is missing`);
  const added = found.find((name) => !due.has(name));
  if (added) throw new ArchiveDamaged(`${added} does not belong to it`);
  const moved = found.find((name, i) => name !== expected[i]);
  if (moved || found.length !== expected.length) throw new ArchiveDamaged(`${moved} is not where it belongs`);
}
