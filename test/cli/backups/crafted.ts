import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beginArchive } from '../../../src/archive/folder.ts';
import { openTar } from '../../../src/archive/tar.ts';

/** An entry of a backup changed by somebody who knows the format. */
export type Entry = [name: string, bytes: Buffer];

export async function entriesIn(file: string): Promise<Entry[]> {
  const archive = await openTar(file);
  const entries: Entry[] = [];
  for (const name of archive.entries.keys()) {
    const parts: Buffer[] = [];
    for await (const chunk of archive.read(name)) parts.push(Buffer.from(chunk));
    entries.push([name, Buffer.concat(parts)]);
  }
  await archive.close();
  return entries;
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Writes a backup.
 * @param summed whether to compute all checksums anew
 * @returns its path
 */
export async function pack(file: string, entries: readonly Entry[], summed = false): Promise<string> {
  const archive = await beginArchive(file, 0);
  const sums: string[] = [];
  for (const [name, bytes] of entries) {
    if (name === 'SHA256SUMS' && summed) continue;
    sums.push(`${sha256(bytes)}  ${name}\n`);
    await archive.add(name, bytes.length, [bytes]);
  }
  const text = Buffer.from(sums.join(''));
  if (summed) await archive.add('SHA256SUMS', text.length, [text]);
  await archive.finish().then((reader) => reader.close());
  await archive.keep();
  await archive.close();
  return archive.path;
}

const tableEntry = (table: string): string => `tables/${table}/000001.jsonl.gz`;

/** Replaces the compressed rows of a table. */
export const withPacked = (entries: readonly Entry[], table: string, packed: Buffer): Entry[] =>
  entries.map(([name, bytes]) => [name, name === tableEntry(table) ? packed : bytes]);

/** Changes the rows of a table, and the manifest to match. */
export function withRows(
  entries: readonly Entry[],
  table: string,
  change: (lines: unknown[][], columns: string[]) => void,
): Entry[] {
  const bytesOf = (wanted: string) => (entries.find(([entry]) => entry === wanted) as Entry)[1];
  const manifest = JSON.parse(String(bytesOf('manifest.json')));
  const about = manifest.tables.find((one: { name: string }) => one.name === table);
  const lines = String(gunzipSync(bytesOf(tableEntry(table))))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  change(lines, about.columns);
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  about.rows = lines.length;
  about.sha256 = sha256(text);
  const described: Entry[] = entries.map(([name, bytes]) =>
    name === 'manifest.json' ? [name, Buffer.from(JSON.stringify(manifest))] : [name, bytes],
  );
  return withPacked(described, table, gzipSync(text));
}
