import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { translated } from './disk-errors.ts';
import { becomeOwner, forgetOwners, knownOwners, type Owner } from './owner.ts';
import { type Artifacts, type ByteStore, type Settled, StorageUnavailable, TooManyBytes } from './storage.ts';

/** After so many milliseconds nobody can still be about to use what he has put. */
const SETTLED_MS = 3_600_000;

/**
 * Takes in files on this machine, and puts them where `bytes` keeps them.
 *
 * Their key is their content's SHA-256 and then who took them in and how often he had before (`ab/abcd….owner-1`), so
 * that no two uploads ever meet at a key, not even of the same bytes; that these are kept but once is decided where
 * releases are written down. So removing what nobody refers to can never take what somebody is just beginning to.
 *
 * @param folder of this machine's own disk, for files on their way in
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

  /** A name that is free to write to. Where the folder is gone, and its owner's lock with it, there is a new owner. */
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

  /** @returns whether bytes are settled, by the name of their owner and since when they are there */
  async function settling({ byAge }: Settled) {
    const { alive, dead } = await knownOwners(folder);
    if (owner) alive.add(owner.name);
    const old = Date.now() - SETTLED_MS;
    const isSettled = (name: string, since: number) =>
      dead.has(name) || (byAge && !alive.has(name) && since < old);
    return isSettled;
  }

  async function partialUploads(which: Settled): Promise<string[]> {
    const names = (await readdir(folder).catch(() => [])).filter((name) => PARTIAL.test(name));
    // Asked after the files were listed: who has written one of them and ended in order leaves none.
    const isSettled = await settling(which);
    const files: string[] = [];
    for (const name of names) {
      const file = join(folder, name);
      const found = await stat(file).catch(() => null);
      if (found && isSettled(ownerOf(name), found.mtimeMs)) files.push(file);
    }
    return files;
  }

  return {
    ...bytes,
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
    place: ({ key, file }) => bytes.put(key, file),
    // What cannot be removed is found when this process has ended.
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

/** Bytes that wait to be written while others are on their way to the disk. */
const WRITE_BYTES = 256 * 1024;

/** Writes a stream to a file of this machine, and closes it. The bytes are on the disk when this resolves. */
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
