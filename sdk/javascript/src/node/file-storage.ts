import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DeviceKey, deviceKeyIn } from '../device-key.ts';
import type { Storage } from '../storage.ts';

const isMissing = (error: NodeJS.ErrnoException): boolean => error.code === 'ENOENT';

/**
 * Writes a file that only its owner can read. Even after a power cut, the file has either the old content or the new one.
 * @param place gives the written file its name
 */
export async function writePrivately(
  path: string,
  content: string | Uint8Array,
  place: (written: string, path: string) => Promise<void> = rename,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${process.pid}.${crypto.randomUUID()}`;
  try {
    const file = await open(written, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(written, path);
  } finally {
    await rm(written, { force: true });
  }
}

/** @internal Reads a file. @returns null if there is none */
export const readIfThere = (path: string): Promise<Buffer | null> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return null;
    throw error;
  });

/** @internal Gives a written file its name, unless another file has that name. */
export async function unlessThere(written: string, path: string): Promise<void> {
  try {
    await link(written, path);
  } catch {
    // Not every file system has hard links.
    if (!(await readIfThere(path))) await rename(written, path);
  }
}

/** Returns a storage that keeps the text in a file with mode 0600. Creates missing folders. */
export const fileStorage = (path: string): Storage => ({
  load: async () => (await readIfThere(path))?.toString('utf8') ?? null,
  save: (text) => writePrivately(path, text),
  create: (text) => writePrivately(path, text, unlessThere),
  clear: () => rm(path, { force: true }),
});

/** Returns a device key that is kept in a file with mode 0600. Anyone who can read the file can copy the key. */
export const fileDeviceKey = (path: string): DeviceKey => deviceKeyIn(fileStorage(path));
