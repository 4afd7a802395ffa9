import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const filesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return [];
  }
};

/** Returns the files of unfinished uploads, without the lock of the process that receives them. */
export const incomingFiles = (dataDir: string): string[] =>
  filesOf(join(dataDir, 'artifacts', 'incoming')).filter((file) => !file.endsWith('.lock'));

/** Returns the stored files of releases: all, or those with these bytes. */
export const storedFiles = (dataDir: string, bytes?: string | Buffer): string[] =>
  filesOf(join(dataDir, 'artifacts'))
    .filter((file) => !file.startsWith(join(dataDir, 'artifacts', 'incoming')))
    .filter((file) => bytes === undefined || file.includes(hexHash('sha256', bytes)));

export const hexHash = (algorithm: 'sha256' | 'sha512', bytes: string | Buffer): string =>
  createHash(algorithm).update(bytes).digest('hex');
