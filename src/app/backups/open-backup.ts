import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ArchiveDamaged, type ArchiveReader } from '../../archive/archive.ts';
import type { CopySource, Row, Table, Value } from '../../store/backups/copy.ts';
import {
  type BackupFile,
  type BackupTable,
  entriesOf,
  fileEntry,
  HEAD,
  type Head,
  MANIFEST,
  type Manifest,
  readHead,
  readManifest,
  SUMS,
  tableEntry,
} from './backup-format.ts';
import { createSum } from './rows.ts';

/** Rows that are returned at a time. */
const CHUNK = 250;
/** Bytes of an entry, packed and unpacked, that is held in memory: ours are far smaller. */
const ENTRY_MAX = 256 * 1024 ** 2;

const unpacked = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** The content of a backup. Each entry is compared with its checksum when it is read. */
export interface Backup {
  head: Head;
  manifest: Manifest;
  source: Omit<CopySource, 'close'>;
  /** The bytes of a file of a release. */
  file(file: BackupFile): AsyncIterable<Uint8Array>;
}

/** Reads what made a backup, and when. @throws ArchiveDamaged, and errors of the system */
export async function headOf(archive: ArchiveReader): Promise<Head> {
  if ([...archive.entries.keys()][0] !== HEAD)
    throw new ArchiveDamaged(`it does not begin with ${HEAD}: it is no backup of Latchkey`);
  return readHead(await bytesOf(archive, HEAD));
}

/**
 * Checks that an archive has the entries of a backup, each in its place. What they hold is checked when they are read.
 * @throws ArchiveDamaged, and errors of the system
 */
export async function openBackup(archive: ArchiveReader): Promise<Backup> {
  const head = await headOf(archive);
  const names = [...archive.entries.keys()];
  const sums = readSums(names, String(await bytesOf(archive, SUMS)));
  const checked: ArchiveReader = {
    ...archive,
    async *read(name) {
      const hash = createHash('sha256');
      for await (const chunk of archive.read(name)) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest('hex') !== sums.get(name))
        throw new ArchiveDamaged(`${name} was changed: its SHA-256 is not that of ${SUMS}`);
    },
  };
  await bytesOf(checked, HEAD);
  const manifest = readManifest(await bytesOf(checked, MANIFEST));
  let place = 0;
  for (const name of entriesOf(manifest))
    if (names[place++] !== name) throw new ArchiveDamaged(`${name} is missing, or not in its place`);
  if (place < names.length) throw new ArchiveDamaged(`${names[place]} does not belong to it`);
  for (const { key, size, sha256 } of manifest.artifacts ?? []) {
    const entry = fileEntry(key);
    if (archive.entries.get(entry) !== size || sums.get(entry) !== sha256)
      throw new ArchiveDamaged(`${entry} is not the file of ${MANIFEST}`);
  }
  return {
    ...{ head, manifest, source: sourceOf(manifest, (entry) => bytesOf(checked, entry)) },
    file: ({ key }) => checked.read(fileEntry(key)),
  };
}

/** The SHA-256 of each entry but the last. @throws ArchiveDamaged unless the text lists just those */
function readSums(names: readonly string[], text: string): Map<string, string> {
  const lines = text.split('\n');
  const listed = [...names.slice(0, -1).map((name) => `  ${name}`), ''];
  if (
    lines.length !== listed.length ||
    lines.at(-1) !== '' ||
    lines.some((line, i) => line.slice(64) !== listed[i])
  )
    throw new ArchiveDamaged(`${SUMS} does not list the entries`);
  return new Map(lines.slice(0, -1).map((line) => [line.slice(66), line.slice(0, 64)]));
}

function sourceOf(
  { migrations, tables }: Manifest,
  read: (entry: string) => Promise<Buffer>,
): Backup['source'] {
  const described = (table: Table) => tables.find(({ name }) => name === table.name) as BackupTable;
  return {
    migrations,
    tables: tables.map(({ name, columns, key, references }) => ({ name, columns, key, references })),
    leftOut: tables.reduce((sum, { left_out: leftOut }) => sum + leftOut, 0),
    lastId: async (table) => described(table).last_id,
    async *rows(table) {
      const { name, entries, rows, sha256 } = described(table);
      const sum = createSum(table);
      for (let nth = 1; nth <= entries; nth++) {
        const entry = tableEntry(name, nth);
        const text = await textOf(entry, await read(entry));
        const lines = text.split('\n').slice(0, -1);
        sum.add(text, lines.length);
        for (let at = 0; at < lines.length; at += CHUNK)
          yield rowsOf(entry, table, lines.slice(at, at + CHUNK));
      }
      const found = sum.end();
      if (found.rows !== rows || found.sha256 !== sha256)
        throw new ArchiveDamaged(`tables/${name} does not have the ${rows} rows that ${MANIFEST} describes`);
    },
  };
}

async function textOf(entry: string, bytes: Buffer): Promise<string> {
  try {
    return String(await unpacked(bytes, { maxOutputLength: ENTRY_MAX }));
  } catch (error) {
    throw new ArchiveDamaged(`${entry} cannot be unpacked: ${(error as Error).message}`, { cause: error });
  }
}

function rowsOf(entry: string, { columns }: Table, lines: readonly string[]): Row[] {
  try {
    return lines.map((line) => {
      const values: unknown = JSON.parse(line);
      if (!Array.isArray(values) || values.length !== columns.length)
        throw new TypeError(`it does not have ${columns.length} values`);
      return Object.fromEntries(columns.map((column, i) => [column, valueIn(values[i])]));
    });
  } catch (error) {
    const message = `${entry} has a line that is no row: ${(error as Error).message}`;
    throw new ArchiveDamaged(message, { cause: error });
  }
}

function valueIn(json: unknown): Value {
  if (json === null || typeof json === 'number' || typeof json === 'string') return json;
  const { bytes } = json as { bytes?: unknown };
  if (typeof bytes !== 'string' || !/^([0-9a-f]{2})*$/.test(bytes))
    throw new TypeError('a value is of an unknown kind');
  return Buffer.from(bytes, 'hex');
}

/** All of an entry. */
async function bytesOf(archive: ArchiveReader, name: string): Promise<Buffer> {
  const size = archive.entries.get(name);
  if (size === undefined) throw new ArchiveDamaged(`${name} is missing`);
  if (size > ENTRY_MAX) throw new ArchiveDamaged(`${name} is too large`);
  const parts: Uint8Array[] = [];
  for await (const part of archive.read(name)) parts.push(part);
  return Buffer.concat(parts);
}
