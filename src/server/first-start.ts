import { accessSync, appendFileSync, constants, fstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { FIRST_START_FILE } from '../installation/data-directory.ts';

/** The file that a start writes secrets to; null if it prints them. */
export function secretsFile({ firstStart, dataDir }: Pick<Config, 'firstStart' | 'dataDir'>) {
  if (firstStart === 'print' || (firstStart === 'auto' && !isJournal())) return null;
  const path = resolve(dataDir, FIRST_START_FILE);
  return {
    path,
    /** @throws an error of the system if it cannot be written */
    check: () => accessSync(resolve(dataDir), constants.W_OK),
    // Appends: a later start makes another link, and must not remove a key that nobody has read yet.
    append: (text: string) => appendFileSync(path, text, { mode: 0o600, flush: true }),
  };
}

/**
 * Whether the output goes to the systemd journal. The variable alone does not say so: a program between may have redirected
 * the output. https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#%24JOURNAL_STREAM
 */
function isJournal(): boolean {
  const { JOURNAL_STREAM: journal } = process.env;
  if (!journal) return false;
  return [process.stdout.fd, process.stderr.fd].some((fd) => {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return `${dev}:${ino}` === journal;
  });
}
