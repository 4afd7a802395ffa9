import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ByteStore } from '../../../src/storage/storage.ts';
import { temporaryFolder } from '../folder.ts';

let count = 0;
/** Returns a key that no other upload of the same bytes has. */
export function keyOf(bytes: string | Buffer): string {
  const hash = createHash('sha256').update(bytes).digest('hex');
  return `${hash.slice(0, 2)}/${hash}.0f-${++count}`;
}

export function fileOf(bytes: string | Buffer): string {
  const file = join(temporaryFolder(), 'upload');
  writeFileSync(file, bytes);
  return file;
}

export async function put(store: ByteStore, bytes: string | Buffer): Promise<string> {
  const key = keyOf(bytes);
  await store.put(key, fileOf(bytes));
  return key;
}

export async function read(store: ByteStore, key: string, start: number, end: number): Promise<Buffer> {
  return buffer(await store.open(key, { start, end }));
}

export async function keysOf(store: ByteStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.keys()) keys.push(key);
  return keys.sort();
}
