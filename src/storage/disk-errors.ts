import { StorageUnavailable } from './storage.ts';

/** What a full, failing or forbidden disk says, and one that is not where it was. */
const UNAVAILABLE = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ENOTDIR',
  'ENOENT',
]);

/** An error of the file system as one of the storage, where it is one. */
export function translated(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code !== undefined && UNAVAILABLE.has(code)
    ? new StorageUnavailable(message, { cause: error })
    : error;
}

/** The same of what a function rejects with. */
export const translating =
  <Given extends unknown[], T>(act: (...given: Given) => Promise<T>) =>
  (...given: Given): Promise<T> =>
    act(...given).catch((error) => Promise.reject(translated(error)));
