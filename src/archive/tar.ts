import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Header } from 'tar/header';
import { ArchiveDamaged, type ArchiveReader, type ArchiveWriter, OtherBytes } from './archive.ts';

/** https://www.gnu.org/software/tar/manual/html_node/Standard.html */
const BLOCK = 512;
const END = 2 * BLOCK;
/** Bytes read at once. */
const READ_BYTES = 256 * 1024;

/**
 * Writes a tar of plain files (ustar), which any tar unpacks.
 * @param at milliseconds since the epoch, as the time of all entries
 */
export function createTar(file: FileHandle, at: number): ArchiveWriter & { finish(): Promise<number> } {
  const mtime = new Date(at);
  /** Where the next entry begins; what a failed one has left behind it is written over. */
  let end = 0;

  async function write(bytes: Uint8Array, position: number): Promise<number> {
    for (let at = 0; at < bytes.length; )
      at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
    return position + bytes.length;
  }

  return {
    async add(name, size, bytes, expected) {
      const block = headerOf(name, size, mtime);
      const first = await write(block, end);
      const hash = createHash('sha256');
      let position = first;
      for await (const chunk of bytes) {
        if (position + chunk.length - first > size) throw new OtherBytes(`has more than ${size} bytes`);
        hash.update(chunk);
        position = await write(chunk, position);
      }
      if (position - first < size) throw new OtherBytes(`has ${position - first} bytes instead of ${size}`);
      const sum = hash.digest('hex');
      if (expected !== undefined && sum !== expected)
        throw new OtherBytes(`has the SHA-256 ${sum} instead of ${expected}`);
      end = await write(Buffer.alloc(paddingOf(size)), position);
      return sum;
    },
    async finish() {
      const size = await write(Buffer.alloc(END), end);
      await file.truncate(size);
      await file.sync();
      return size;
    },
  };
}

/** The block before an entry. */
function headerOf(path: string, size: number, mtime: Date): Buffer {
  const block = Buffer.alloc(BLOCK);
  const header = new Header({ path, mode: 0o600, uid: 0, gid: 0, size, mtime, type: 'File' });
  if (header.encode(block)) throw new RangeError(`${path} does not fit into a header of tar`);
  return block;
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/**
 * Reads what `createTar` has written, and nothing else: whatever was added or changed between the entries is damage.
 * @throws ArchiveDamaged, and errors of the system
 */
export async function openTar(path: string): Promise<ArchiveReader> {
  const file = await open(path, 'r');
  try {
    const places = await scan(file);
    return {
      entries: new Map([...places].map(([name, { size }]) => [name, size])),
      read: (name) => {
        const place = places.get(name);
        if (!place) throw new ArchiveDamaged(`${name} is missing`);
        return bytesOf(file, name, place);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface Place {
  /** Position of the first byte. */
  start: number;
  size: number;
}

async function scan(file: FileHandle): Promise<Map<string, Place>> {
  const { size: total } = await file.stat();
  const places = new Map<string, Place>();
  let last = 'the beginning';
  const cutShort = () => new ArchiveDamaged(`the file ends in the middle, after ${last}`);
  for (let at = 0, padding = 0; ; ) {
    if (at + padding + BLOCK > total) throw cutShort();
    const bytes = await readAt(file, at, padding + BLOCK);
    if (!isZero(bytes.subarray(0, padding))) throw new ArchiveDamaged(`there is something behind ${last}`);
    at += padding;
    const block = bytes.subarray(padding);
    if (isZero(block)) {
      await mustEnd(file, at, total, last);
      return places;
    }
    const { name, size } = entryOf(block, last);
    if (places.has(name)) throw new ArchiveDamaged(`${name} is there twice`);
    places.set(name, { start: at + BLOCK, size });
    at += BLOCK + size;
    padding = paddingOf(size);
    last = name;
    if (at > total) throw cutShort();
  }
}

function entryOf(block: Buffer, last: string): { name: string; size: number } {
  const entry = decoded(block);
  if (!entry) throw new ArchiveDamaged(`the header after ${last} is none, or was changed`);
  return entry;
}

/** Null where it is none of ours, to the byte: not everything that is changed in one changes its checksum, or what is read of it. */
function decoded(block: Buffer): { name: string; size: number } | null {
  try {
    const { type, path, size, mtime } = new Header(block);
    if (type !== 'File' || !path || size === undefined || size < 0 || !mtime) return null;
    return headerOf(path, size, mtime).equals(block) ? { name: path, size } : null;
  } catch {
    // Numbers and names that cannot be.
    return null;
  }
}

async function mustEnd(file: FileHandle, at: number, total: number, last: string): Promise<void> {
  if (total < at + END) throw new ArchiveDamaged(`the file ends in the middle, after ${last}`);
  if (total > at + END || !isZero(await readAt(file, at, END)))
    throw new ArchiveDamaged(`there is something behind the end, after ${last}`);
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) throw new ArchiveDamaged('the file ends while it is read');
    at += bytesRead;
  }
  return buffer;
}

async function* bytesOf(file: FileHandle, name: string, { start, size }: Place): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), start + at);
    if (bytesRead === 0) throw new ArchiveDamaged(`${name} ends in the middle`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
