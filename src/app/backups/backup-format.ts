import Type from 'typebox';
import { Value } from 'typebox/value';
import { ArchiveDamaged } from '../../archive/archive.ts';

/**
 * What a backup holds, in the order of its entries: `backup.json`, the files of releases, the tables, `manifest.json`, and
 * the SHA-256 of all these in `SHA256SUMS`. docs/backups.md describes it for those who read it without Latchkey.
 */
export const HEAD = 'backup.json';
export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';
/** Of the newest form that this version reads. */
export const FORM = 1;

export const tableEntry = (table: string, nth: number): string =>
  `tables/${table}/${String(nth).padStart(6, '0')}.jsonl.gz`;
export const fileEntry = (key: string): string => `artifacts/${key}`;

const count = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const name = Type.String({ pattern: '^[a-z][a-z0-9_]*$' });

/** What is known when a backup begins. */
const headSchema = Type.Object({
  form: Type.Integer({ minimum: 1 }),
  /** The version that made it. */
  latchkey: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  /** In ISO 8601. */
  begun_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' }),
});
export type Head = Type.Static<typeof headSchema>;

const tableSchema = Type.Object({
  name,
  columns: Type.Array(name),
  key: Type.Array(name),
  references: Type.Array(Type.Object({ column: name, table: name, to: name })),
  /** How many entries hold its rows. */
  entries: count,
  rows: count,
  /** Of all lines, unpacked, one behind the other. */
  sha256,
  last_id: Type.Union([count, Type.Null()]),
  left_out: count,
});
const fileSchema = Type.Object({
  // Nothing else may become part of a path.
  key: Type.String({ pattern: '^[0-9a-f]{2}/[0-9a-f]{64}\\.[0-9a-z-]+$' }),
  size: count,
  sha256,
  /** False where its release was deleted while the backup was made. */
  in_use: Type.Boolean(),
});
/** What is in it, as of the moment in which the database was read. */
const manifestSchema = Type.Object({
  /** When that was. */
  read_at: Type.String(),
  migrations: Type.Array(Type.String()),
  /** Of the master keys that open it. */
  master_keys: Type.Array(Type.String({ pattern: '^[0-9a-f]+$' })),
  tables: Type.Array(tableSchema),
  /** Null where they were left out. */
  artifacts: Type.Union([Type.Array(fileSchema), Type.Null()]),
});
export type Manifest = Type.Static<typeof manifestSchema>;
export type BackupTable = Type.Static<typeof tableSchema>;
export type BackupFile = Type.Static<typeof fileSchema>;

/** @throws ArchiveDamaged */
export function readHead(bytes: Buffer): Head {
  const head = read(HEAD, bytes);
  const form = (head as { form?: unknown } | null)?.form;
  if (typeof form === 'number' && form > FORM)
    throw new ArchiveDamaged(`it is of form ${form}, which a later version of Latchkey reads: use that one`);
  if (!Value.Check(headSchema, head)) throw new ArchiveDamaged(`${HEAD} is not that of a backup of Latchkey`);
  return head;
}

/** @throws ArchiveDamaged */
export function readManifest(bytes: Buffer): Manifest {
  const manifest = read(MANIFEST, bytes);
  if (!Value.Check(manifestSchema, manifest))
    throw new ArchiveDamaged(`${MANIFEST} is not that of a backup of Latchkey`);
  return manifest;
}

function read(entry: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ArchiveDamaged(`${entry} is no JSON`);
  }
}

/** As sha256sum writes and checks them. */
export const sumsText = (sums: ReadonlyMap<string, string>): string =>
  [...sums].map(([entry, sum]) => `${sum}  ${entry}\n`).join('');

/** The sums by entry. @throws ArchiveDamaged */
export function readSums(text: string): Map<string, string> {
  const sums = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [, sum, entry] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    if (!sum || !entry || sums.has(entry)) throw new ArchiveDamaged(`${SUMS} was changed`);
    sums.set(entry, sum);
  }
  if (sumsText(sums) !== text) throw new ArchiveDamaged(`${SUMS} was changed`);
  return sums;
}
