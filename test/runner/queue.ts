import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeFolders } from '../support/folder.ts';

/** The tests of one engine that are still to run: a file of test files, one a line, and a folder of those that are taken. */
export const FILES = 'files';
const MAX_FILE_MS = 240_000;

/**
 * Runs test files in this process, one after the other, each as one test, until the queue is empty.
 * Several processes may take files from one queue.
 */
export async function runQueue(queue: string): Promise<void> {
  const files = readFileSync(join(queue, FILES), 'utf8').split('\n').filter(Boolean);
  for (const [place, file] of files.entries()) {
    if (!take(join(queue, String(place)))) continue;
    const cpu = cpuOf();
    await test(file, { timeout: MAX_FILE_MS }, async (t) => {
      // Tests that a file declares while it is imported belong to this one, and so do its hooks.
      await import(pathToFileURL(file).href);
      // Registered last, and so called after all of the file's own.
      t.after(closeFolders);
    });
    if (process.env.CPU_LOG)
      (await import('node:fs')).appendFileSync(
        process.env.CPU_LOG,
        `${(cpuOf() - cpu).toFixed(2)} ${file}\n`,
      );
  }
}

function cpuOf(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').map(Number) ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / 100;
}

/** @returns whether no other process has taken it */
function take(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
