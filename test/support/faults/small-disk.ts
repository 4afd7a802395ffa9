import { type ChildProcess, execFileSync } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../folder.ts';
import { canMount } from './namespace.ts';

/** A disk for one test, which the test can fill. */
export interface SmallDisk {
  folder: string;
  /** Takes all free space except some KiB. */
  fill(kib?: number): void;
  /** Frees the space. */
  free(): void;
  /** The command through which a program must start so that it starts on a full disk. */
  through: readonly string[];
}

/** How these tests simulate a full disk, for their output. */
export const HOW = canMount
  ? 'a file system in memory, filled with a file'
  : 'no file system can be mounted here: the server may not make files longer (RLIMIT_FSIZE)';

/**
 * @param size MiB
 * @param server whose files are kept from growing if no file system can be mounted
 */
export function smallDisk(t: TestContext, size: number, server: () => ChildProcess | null): SmallDisk {
  t.diagnostic(`the disk: ${HOW}`);
  const folder = temporaryFolder();
  return canMount ? mounted(t, folder, size) : limited(folder, server);
}

function mounted(t: TestContext, folder: string, size: number): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=0700`, 'small', folder]);
  t.after(() => execFileSync('umount', ['--lazy', folder]));
  const file = join(folder, 'filler');
  return {
    folder: join(folder, 'data'),
    fill(kib = 0) {
      const filler = openSync(file, 'a');
      // Fill the disk down to its last page.
      for (const piece of [1024 ** 2, 4096].map((bytes) => Buffer.alloc(bytes, 1))) {
        try {
          for (;;) writeSync(filler, piece);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
      ftruncateSync(filler, fstatSync(filler).size - kib * 1024);
      closeSync(filler);
    },
    free: () => rmSync(file, { force: true }),
    through: [],
  };
}

function limited(folder: string, server: () => ChildProcess | null): SmallDisk {
  const limit = (bytes: string) => {
    const pid = server()?.pid;
    if (pid !== undefined) execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  };
  let through: string[] = [];
  return {
    folder: join(folder, 'data'),
    fill(kib = 4) {
      through = ['prlimit', `--fsize=${kib * 1024}:`];
      limit(String(kib * 1024));
    },
    free() {
      through = [];
      limit('unlimited');
    },
    get through() {
      return through;
    },
  };
}
