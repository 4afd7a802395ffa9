import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Header } from 'tar/header';
import { ArchiveDamaged, type ArchiveReader, type NewArchive, OtherBytes } from './archive.ts';

/** https://www.gnu.org/software/tar/manual/html_node/Standard.html */
const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);
const READ_BYTES = 256 * 1024;
/** What messages call the place before the first entry. */
const BEGINNING = 'the beginning';

/**
 * Writes a tar of plain files (ustar), which any tar unpacks.
 * @param at the time of all entries, in milliseconds since the epoch
 */
export function createTar(file: FileHandle, at: number): Pick<NewArchive, 'add'> & { end(): Promise<void> } {
  return {
    async add(name, size, bytes) {
      await file.writeFile(headerOf(name, size, new Date(at)));
      const hash = createHash('sha256');
      let written = 0;
      for await (const chunk of bytes) {
        written += chunk.length;
        if (written > size) break;
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      if (written !== size)
        throw new OtherBytes(
          `has ${written > size ? 'more than' : `${written} bytes instead of`} ${size} bytes`,
        );
      await file.writeFile(Buffer.alloc(paddingOf(size)));
      return hash.digest('hex');
    },
    async end() {
      await file.writeFile(END);
      await file.sync();
    },
  };
}

/** Returns the header block of an entry. */
function headerOf(path: string, size: number, mtime: Date): Buffer {
  const block = Buffer.alloc(BLOCK);
  const header = new Header({ path, mode: 0o600, uid: 0, gid: 0, size, mtime, type: 'File' });
  if (header.encode(block)) throw new RangeError(`${path} does not fit into a header of tar`);
  return block;
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/**
 * Reads a tar as `createTar` writes it, and no other: any other byte between the entries is damage.
 * @throws ArchiveDamaged, and system errors
 */
export async function openTar(path: string): Promise<ArchiveReader> {
  const file = await open(path, 'r');
  try {
    const stats = await file.stat();
    const bytes = stats.size;
    if (stats.isFile() && bytes === 0) throw new ArchiveDamaged('the file is empty');
    if (stats.isFile() && bytes < BLOCK)
      throw new ArchiveDamaged('the file is not a backup of Latchkey, or ends after its first bytes');
    const places = await scan(file, bytes);
    return {
      bytes,
      entries: new Map([...places].map(([name, { size }]) => [name, size])),
      async *read(name) {
        const { start, size } = places.get(name) ?? { start: 0, size: 0 };
        for (let at = 0; at < size; at += READ_BYTES)
          yield await readAt(file, start + at, Math.min(READ_BYTES, size - at), name);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    // Errors of reading do not name the file.
    if ((error as NodeJS.ErrnoException).syscall === 'read') Object.assign(error as Error, { path });
    throw error;
  }
}

/** The position of the first byte, and the size, of each entry. */
async function scan(file: FileHandle, bytes: number): Promise<Map<string, { start: number; size: number }>> {
  const places = new Map<string, { start: number; size: number }>();
  let last = BEGINNING;
  for (let at = 0, padding = 0; ; ) {
    const block = await readAt(file, at, padding + BLOCK, last);
    if (!isZero(block.subarray(0, padding)))
      throw new ArchiveDamaged(`there are unexpected bytes after ${last}`);
    at += padding;
    const header = block.subarray(padding);
    if (isZero(header)) {
      if (!isZero(await readAt(file, at, END.length, last)) || bytes > at + END.length)
        throw new ArchiveDamaged(`there are unexpected bytes after the end of ${last}`);
      return places;
    }
    const { name, size } = decode(header, last);
    if (size > bytes - at - BLOCK) throw new ArchiveDamaged(`the file ends in the middle, after ${name}`);
    if (places.has(name)) throw new ArchiveDamaged(`${name} appears twice`);
    places.set(name, { start: at + BLOCK, size });
    at += BLOCK + size;
    padding = paddingOf(size);
    last = name;
  }
}

/** Parses a header. Compares the whole block with a newly made one, because the checksum does not cover every bit. */
function decode(block: Buffer, last: string): { name: string; size: number } {
  try {
    const { path = '', size = -1, mtime } = new Header(block);
    if (mtime && size >= 0 && headerOf(path, size, mtime).equals(block)) return { name: path, size };
  } catch {
    // The header contains impossible numbers or names.
  }
  throw new ArchiveDamaged(
    last === BEGINNING
      ? 'the file is not a backup of Latchkey, or its first bytes were changed'
      : `the header after ${last} is missing or was changed`,
  );
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

async function readAt(file: FileHandle, position: number, length: number, last: string): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new ArchiveDamaged(`the file ends in the middle, after ${last}`);
  return buffer;
}
