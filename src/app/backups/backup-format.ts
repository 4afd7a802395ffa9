import Type, { type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ArchiveDamaged } from '../../archive/archive.ts';
import { STORAGE_KEY } from '../../storage/storage.ts';
import type { Row, Table } from '../../store/backups/copy.ts';

/**
 * The entries of a backup, in this order: `backup.json`, the files of releases, the tables, `manifest.json`, and
 * `SHA256SUMS` with the SHA-256 of each entry before it. docs/operate/backups.md describes the format for readers without
 * Latchkey.
 */
export const HEAD = 'backup.json';
export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';
/** The newest version of the format that this program reads. */
export const FORM = 1;

export const tableEntry = (table: string, nth: number): string =>
  `tables/${table}/${String(nth).padStart(6, '0')}.jsonl.gz`;
export const fileEntry = (key: string): string => `artifacts/${key}`;

export function* entriesOf({ artifacts, tables }: Manifest): Generator<string> {
  yield HEAD;
  for (const { key } of artifacts ?? []) yield fileEntry(key);
  for (const { name, entries } of tables)
    for (let nth = 1; nth <= entries; nth++) yield tableEntry(name, nth);
  yield MANIFEST;
  yield SUMS;
}

const count = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const name = Type.String({ pattern: '^[a-z][a-z0-9_]*$' });
/** ISO 8601, UTC, in seconds. */
const instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' });

const headSchema = Type.Object({
  form: Type.Integer({ minimum: 1 }),
  /** The version of Latchkey that made the backup. */
  latchkey: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  begun_at: instant,
});
export type Head = Type.Static<typeof headSchema>;

const tableSchema = Type.Object({
  name,
  columns: Type.Array(name),
  key: Type.Array(name),
  references: Type.Array(Type.Object({ column: name, table: name, to: name })),
  /** Number of entries that hold the rows of the table. */
  entries: count,
  rows: count,
  /** SHA-256 of all lines of the table, unpacked. */
  sha256,
  last_id: Type.Union([count, Type.Null()]),
  left_out: count,
});
const fileSchema = Type.Object({
  // The key becomes a path, so only the exact form of a storage key is safe.
  key: Type.String({ pattern: STORAGE_KEY.source }),
  size: count,
  sha256,
  /** False if the release was deleted while the backup was made. */
  in_use: Type.Boolean(),
});
const manifestSchema = Type.Object({
  /** When the snapshot of the rows was taken. */
  read_at: instant,
  migrations: Type.Array(Type.String()),
  /** Fingerprints of the master keys. Any one of them opens the backup. */
  master_keys: Type.Array(Type.String({ pattern: '^[0-9a-f]+$' })),
  tables: Type.Array(tableSchema),
  /** Null if the backup was made without the files of releases. */
  artifacts: Type.Union([Type.Array(fileSchema), Type.Null()]),
});
export type Manifest = Type.Static<typeof manifestSchema>;
export type BackupTable = Type.Static<typeof tableSchema>;
export type BackupFile = Type.Static<typeof fileSchema>;

/**
 * Returns what is wrong with the storage key of a row; null if it is valid, or if the table has no storage keys. The key
 * becomes a path, so a key of another form could name any file on the machine.
 */
export const storageKeyFault = ({ name }: Table, row: Row): string | null =>
  name === 'artifacts' && !STORAGE_KEY.test(String(row.storage_key))
    ? `the row of artifacts with id ${row.id} names no file of a release: ${JSON.stringify(row.storage_key)}`
    : null;

/** Returns the storage key, size and checksum in a row of `artifacts`. */
export const fileOf = (row: Row): BackupFile => ({
  key: String(row.storage_key),
  size: Number(row.size),
  sha256: String(row.sha256),
  in_use: true,
});

/** Parses `backup.json`. @throws ArchiveDamaged */
export function readHead(bytes: Buffer): Head {
  const head = parse(HEAD, bytes);
  const form = (head as { form?: unknown } | null)?.form;
  if (typeof form === 'number' && form > FORM)
    throw new ArchiveDamaged(`it has format ${form}: use a later version of Latchkey`);
  return checked(headSchema, HEAD, head);
}

/** Parses `manifest.json`. @throws ArchiveDamaged */
export const readManifest = (bytes: Buffer): Manifest =>
  checked(manifestSchema, MANIFEST, parse(MANIFEST, bytes));

function parse(entry: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ArchiveDamaged(`${entry} is no JSON`);
  }
}

function checked<T extends TSchema>(schema: T, entry: string, value: unknown): Type.Static<T> {
  if (Value.Check(schema, value)) return value;
  throw new ArchiveDamaged(`${entry} is not that of a backup of Latchkey`);
}
