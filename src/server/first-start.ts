import { closeSync, constants, fchmodSync, fstatSync, openSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { FIRST_START_FILE, isOpenToOthers } from '../installation/data-directory.ts';

/** The file that a start writes secrets to; null if it prints them. */
export function secretsFile({ firstStart, dataDir }: Pick<Config, 'firstStart' | 'dataDir'>) {
  if (firstStart === 'print' || (firstStart === 'auto' && !isJournal())) return null;
  const path = resolve(dataDir, FIRST_START_FILE);
  return {
    path,
    /** @throws an error of the system if it cannot be written */
    check: (): void => closeSync(openOwn(path)),
    append(text: string): void {
      const file = openOwn(path);
      try {
        writeFileSync(file, text, { flush: true });
      } finally {
        closeSync(file);
      }
    },
  };
}

// Append, because a later start makes another link, and must not remove a key that nobody has read yet. Windows has no
// O_NOFOLLOW.
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a file that only this user can read. In a folder of several users, another one may have made the file, or put a
 * link in its place.
 * @throws an error of the system
 */
function openOwn(path: string): number {
  const file = openSync(path, APPEND, 0o600);
  try {
    const stats = fstatSync(file);
    if (process.getuid && stats.uid !== process.getuid())
      throw Object.assign(new Error(`${path} is a file of another user`), { code: 'EPERM', path });
    if (isOpenToOthers(stats)) fchmodSync(file, 0o600);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Whether the output goes to the systemd journal. Compares the stream, because the variable stays set if a program in
 * between has redirected the output.
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#%24JOURNAL_STREAM
 */
function isJournal(): boolean {
  const { JOURNAL_STREAM: journal } = process.env;
  if (!journal) return false;
  return [process.stdout.fd, process.stderr.fd].some((fd) => {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return `${dev}:${ino}` === journal;
  });
}
