import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const CHUNK = 1024 * 1024;

/**
 * The bytes of a dump, decompressed if it is a gzip file.
 * @param read called with the part of the file that was read, 0 to 1
 * @throws Error that names the file and says what is wrong with it
 */
export async function* bytesOf(
  file: string,
  signal: AbortSignal,
  read: (part: number) => void = () => {},
): AsyncIterable<Buffer> {
  const { size, isGzip } = await look(file);
  const source = createReadStream(file, { signal, highWaterMark: CHUNK });
  source.on('data', () => read(Math.min(1, source.bytesRead / size)));
  // `on('data')` begins to read; the next line, in the same turn, takes the reading over.
  const bytes: Readable = isGzip ? pipeline(source, createGunzip({ chunkSize: CHUNK }), () => {}) : source;
  try {
    yield* bytes;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw truncated(file);
    if (code?.startsWith('Z_')) throw new Error(`${file}: the gzip file is damaged`);
    throw error;
  }
}

export const truncated = (file: string): Error =>
  new Error(`${file}: the dump is truncated, or no dump: it ends before it is complete`);

async function look(file: string): Promise<{ size: number; isGzip: boolean }> {
  await using handle = await open(file);
  const stat = await handle.stat();
  if (stat.isDirectory()) throw new Error(`${file} is a folder, not a dump`);
  const { buffer } = await handle.read(Buffer.alloc(3), 0, 3, 0);
  const begin = buffer.toString('hex');
  if (begin.startsWith('fffe') || begin.startsWith('feff'))
    throw new Error(`${file}: the dump is in UTF-16: write it with --result-file instead of redirecting it`);
  if (begin.startsWith('504b')) throw new Error(`${file}: a ZIP file: unpack it first`);
  return { size: stat.size, isGzip: begin.startsWith('1f8b') };
}
