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

/** Files on their way in, but for the lock of the process that takes them in. */
export const incomingFiles = (dataDir: string): string[] =>
  filesOf(join(dataDir, 'artifacts', 'incoming')).filter((file) => !file.endsWith('.lock'));

/** Files of releases, all or those of the same bytes. */
export const storedFiles = (dataDir: string, bytes?: string | Buffer): string[] =>
  filesOf(join(dataDir, 'artifacts'))
    .filter((file) => !file.startsWith(join(dataDir, 'artifacts', 'incoming')))
    .filter((file) => bytes === undefined || file.includes(hexHash('sha256', bytes)));

export const hexHash = (algorithm: 'sha256' | 'sha512', bytes: string | Buffer): string =>
  createHash(algorithm).update(bytes).digest('hex');
