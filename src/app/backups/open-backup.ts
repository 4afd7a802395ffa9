import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
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

/** Rows in each chunk that `rows` yields. */
const CHUNK = 250;
/**
 * Limits against a backup crafted to exhaust memory: gzip compresses up to a thousandfold. In order: bytes of an entry,
 * packed and unpacked; bytes of `backup.json`; characters of a row. Real backups stay far below: the largest row, an
 * audit entry with two changelogs whose characters are escaped twice, has less than 2 MiB.
 */
const ENTRY_MAX = 256 * 1024 ** 2;
const HEAD_MAX = 64 * 1024;
const ROW_MAX = 16 * 1024 ** 2;
/** Bytes to unpack at a time. */
const UNPACKED_CHUNK = 256 * 1024;

/** The content of a backup. Reading an entry compares it with its checksum. */
export interface Backup {
  head: Head;
  manifest: Manifest;
  source: Omit<CopySource, 'close'>;
  /** Yields the bytes of a release's file. */
  file(file: BackupFile): AsyncIterable<Uint8Array>;
}

/** Reads `backup.json`: what made the backup, and when. @throws ArchiveDamaged, and system errors */
export async function headOf(archive: ArchiveReader): Promise<Head> {
  if ([...archive.entries.keys()][0] !== HEAD)
    throw new ArchiveDamaged(`it does not begin with ${HEAD}, so it is not a backup of Latchkey`);
  return readHead(await bytesOf(archive, HEAD, HEAD_MAX));
}

/**
 * Checks that an archive has the entries of a backup in the right order. Reading an entry checks its content.
 * @throws ArchiveDamaged, and system errors
 */
export async function openBackup(archive: ArchiveReader): Promise<Backup> {
  const head = await headOf(archive);
  const names = [...archive.entries.keys()];
  const sums = readSums(names, String(await bytesOf(archive, SUMS, sumsLength(names))));
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
  await bytesOf(checked, HEAD, HEAD_MAX);
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
    head,
    manifest,
    source: sourceOf(manifest, (entry) => bytesOf(checked, entry)),
    file: ({ key }) => checked.read(fileEntry(key)),
  };
}

/** Returns the bytes of `SHA256SUMS`: 64 hex digits, two spaces, a name and a line break for each entry but the last. */
const sumsLength = (names: readonly string[]): number =>
  names.slice(0, -1).reduce((sum, name) => sum + 64 + 2 + Buffer.byteLength(name) + 1, 0);

/** Returns the SHA-256 of each entry but the last. @throws ArchiveDamaged unless the text lists exactly these entries */
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
        for await (const { bytes, lines } of unpacked(entry, await read(entry))) {
          sum.add(bytes, lines.length);
          for (let at = 0; at < lines.length; at += CHUNK)
            yield rowsOf(entry, table, lines.slice(at, at + CHUNK));
        }
      }
      const found = sum.end();
      if (found.rows !== rows || found.sha256 !== sha256)
        throw new ArchiveDamaged(`tables/${name} does not have the ${rows} rows that ${MANIFEST} describes`);
    },
  };
}

/** Unpacks an entry piece by piece. Yields the bytes of each piece, and the lines that end in it. @throws ArchiveDamaged */
async function* unpacked(
  entry: string,
  packed: Buffer,
): AsyncGenerator<{ bytes: Buffer; lines: readonly string[] }> {
  const pieces = Readable.from([packed]).pipe(createGunzip({ chunkSize: UNPACKED_CHUNK }));
  const decoder = new StringDecoder('utf8');
  let [size, rest] = [0, ''];
  try {
    for await (const bytes of pieces as AsyncIterable<Buffer>) {
      size += bytes.length;
      if (size > ENTRY_MAX) throw new ArchiveDamaged(`${entry} unpacks to more than ${ENTRY_MAX} bytes`);
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > ROW_MAX)
        throw new ArchiveDamaged(`${entry} has a row of more than ${ROW_MAX} characters`);
      yield { bytes, lines };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw error;
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
    const message = `${entry} has an invalid row: ${(error as Error).message}`;
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

/** Reads a whole entry. @throws ArchiveDamaged if the entry is missing or larger than `max` bytes */
async function bytesOf(archive: ArchiveReader, name: string, max = ENTRY_MAX): Promise<Buffer> {
  const size = archive.entries.get(name);
  if (size === undefined) throw new ArchiveDamaged(`${name} is missing`);
  if (size > max) throw new ArchiveDamaged(`${name} is too large`);
  const parts: Uint8Array[] = [];
  for await (const part of archive.read(name)) parts.push(part);
  return Buffer.concat(parts);
}
