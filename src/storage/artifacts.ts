import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { translated } from './disk-errors.ts';
import { becomeOwner, forgetOwners, knownOwners, type Owner } from './owner.ts';
import {
  type Artifacts,
  type ByteStore,
  BytesMissing,
  type Settled,
  STORAGE_KEY,
  StorageUnavailable,
  TooManyBytes,
} from './storage.ts';

/** Milliseconds after which no upload is still waiting to become a release. */
const SETTLED_MS = 3_600_000;

/**
 * Receives files in a folder of this machine, and places them in `bytes`.
 *
 * A key consists of the SHA-256 of the content, the owner who received it and a counter (`ab/abcd….owner-1`). So two
 * uploads never share a key, not even of the same bytes, and removing an unreferenced key never removes a new upload. The
 * commands that store releases keep equal bytes only once.
 *
 * Refuses keys of another form (`STORAGE_KEY`), which could come from a changed database or backup.
 *
 * @param folder for incoming files, on a local disk
 */
export function createArtifacts(folder: string, bytes: ByteStore): Artifacts {
  let owner: Owner | null = null;
  let count = 0;

  function ownName(): string {
    try {
      owner ??= becomeOwner(folder);
      return owner.name;
    } catch (error) {
      throw new StorageUnavailable((error as Error).message, { cause: error });
    }
  }

  /** Creates a new file. If the folder is gone, and with it the owner's lock file, becomes a new owner. */
  async function openOwn(): Promise<{ id: string; path: string; file: FileHandle }> {
    for (let isAgain = false; ; isAgain = true) {
      const id = `${ownName()}-${++count}`;
      const path = join(folder, id);
      try {
        return { id, path, file: await open(path, 'wx', 0o600) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || isAgain) throw translated(error);
        owner?.close();
        owner = null;
      }
    }
  }

  /** Returns a function that tells from the owner's name and the time (milliseconds) whether bytes are settled. */
  async function settling({ byAge }: Settled) {
    const { alive, dead } = await knownOwners(folder);
    if (owner) alive.add(owner.name);
    const old = Date.now() - SETTLED_MS;
    return (name: string, since: number) => dead.has(name) || (byAge && !alive.has(name) && since < old);
  }

  async function partialUploads(which: Settled): Promise<string[]> {
    const names = (await readdir(folder).catch(() => [])).filter((name) => PARTIAL.test(name));
    // Look for owners after listing the files: an owner that has stopped in between has removed its files.
    const isSettled = await settling(which);
    const files: string[] = [];
    for (const name of names) {
      const file = join(folder, name);
      const found = await stat(file).catch(() => null);
      if (found && isSettled(ownerOf(name), found.mtimeMs)) files.push(file);
    }
    return files;
  }

  /** Returns the key. @throws BytesMissing if the key does not have the form of our keys */
  function checked(key: string): string {
    if (STORAGE_KEY.test(key)) return key;
    throw new BytesMissing(`${JSON.stringify(key)} is not the key of a file`);
  }

  return {
    open: async (key, range) => bytes.open(checked(key), range),
    signedUrl: async (key, as) => bytes.signedUrl(checked(key), as),
    size: async (key) => (STORAGE_KEY.test(key) ? bytes.size(key) : null),
    async remove(key) {
      if (STORAGE_KEY.test(key)) await bytes.remove(key);
    },
    async receive(source, maxBytes) {
      const { id, path, file } = await openOwn();
      try {
        const { size, sha256, sha512 } = await write(file, source, maxBytes);
        return { file: path, key: `${sha256.slice(0, 2)}/${sha256}.${id}`, size, sha256, sha512 };
      } catch (error) {
        await rm(path, { force: true });
        throw translated(error);
      }
    },
    place: async ({ key, file }) => bytes.put(checked(key), file),
    // If the file cannot be removed, housekeeping removes it after this process has ended.
    discard: ({ file }) => rm(file, { force: true }).catch(() => {}),
    countPartialUploads: async (which) => (await partialUploads(which)).length,
    deadOwners: async () => (await knownOwners(folder)).dead,
    async removePartialUploads(which, swept) {
      const files = await partialUploads(which);
      for (const file of files) await rm(file, { force: true });
      await forgetOwners(folder, swept);
      return files.length;
    },
    async *settledKeys(which) {
      const isSettled = await settling(which);
      for await (const { key, since } of bytes.keys())
        if (isSettled(ownerOf(key.slice(key.indexOf('.') + 1)), since)) yield key;
    },
    async close() {
      owner?.close();
      owner = null;
    },
  };
}

const PARTIAL = /^[0-9a-f]+-\d+$/;
const ownerOf = (id: string): string => id.slice(0, id.indexOf('-'));

/** Bytes in memory while others are being written. */
const WRITE_BYTES = 256 * 1024;

/** Writes a stream to the file, syncs it to the disk and closes it. */
async function write(file: FileHandle, source: AsyncIterable<Uint8Array>, maxBytes: number) {
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
  let size = 0;
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`);
      sha256.update(chunk);
      sha512.update(chunk);
      // A copy: the source may reuse the memory of a chunk for the next one.
      yield Buffer.from(chunk);
    }
  }
  await pipeline(hashed, file.createWriteStream({ highWaterMark: WRITE_BYTES, flush: true }));
  return { size, sha256: sha256.digest('hex'), sha512: sha512.digest('hex') };
}
