import { StorageUnavailable } from './storage.ts';

/** Errors of a disk that is full, failing, inaccessible or no longer mounted. */
const UNAVAILABLE = /^(ENOSPC|EDQUOT|EIO|EROFS|EACCES|EPERM|EMFILE|ENFILE|ENOTDIR|ENOENT)$/;

/** Turns errors of the disk into StorageUnavailable. */
export function translated(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return UNAVAILABLE.test(code ?? '') ? new StorageUnavailable(message, { cause: error }) : error;
}

/** Wraps a function so that errors of the disk become StorageUnavailable. */
export const translating =
  <Given extends unknown[], T>(act: (...given: Given) => Promise<T>) =>
  (...given: Given): Promise<T> =>
    act(...given).catch((error) => Promise.reject(translated(error)));
