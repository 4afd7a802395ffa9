import { mkdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeShared, leaveToQueue } from '../support/closing.ts';
import { ENGINE } from '../support/engine.ts';
import { closeFolders } from '../support/folder.ts';
import { hookOfTestRunner } from './async-hook.ts';
import { processorSeconds } from './processor.ts';
import { titleOf, usageMessage } from './times.ts';

/** Limit for one test file in milliseconds, on a busy machine: a file that waits forever fails. */
const MAX_FILE_MS = 900_000;
/** Milliseconds for this process to end by itself after its last test. */
const LINGER_MS = 60_000;

/**
 * Runs test files in this process, one after the other, each as one test, until the queues are empty. Several processes
 * may take files from one queue. The function of a suite must not be `async`: tests that it declared later would belong
 * to no file.
 * @param queues files with the names of test files, one per line, in the order in which they are taken. Beside a queue
 * is a folder for each test file that was taken.
 */
export async function runQueues(queues: readonly string[]): Promise<void> {
  leaveToQueue();
  for (const { place, file } of queues.flatMap(placesOf)) {
    if (isTaken(place)) continue;
    hookOfTestRunner?.enable();
    const title = titleOf(file, ENGINE);
    const before = processorSeconds();
    await test(title, { timeout: MAX_FILE_MS }, async (t) => {
      const declared = Promise.withResolvers<void>();
      // As for top-level tests: no test begins before the file has declared all of them.
      t.before(() => declared.promise);
      try {
        // What the file declares during its import, including hooks, belongs to this test.
        await import(pathToFileURL(file).href);
      } finally {
        hookOfTestRunner?.disable();
        declared.resolve();
      }
      // Registered last, so that it runs after all hooks of the file.
      t.after(() => {
        closeFolders();
        t.diagnostic(usageMessage(title, processorSeconds() - before));
      });
    });
  }
  await closeShared();
  // The function of a test may still be waiting after the time limit of the test, and would keep this process alive.
  setTimeout(() => process.exit(1), LINGER_MS).unref();
}

const placesOf = (queue: string): { place: string; file: string }[] =>
  readFileSync(queue, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((file, nth) => ({ place: `${queue}.${nth}`, file }));

/** Takes a place in a queue. @returns whether another process has taken it before */
function isTaken(place: string): boolean {
  try {
    mkdirSync(place);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true;
    throw error;
  }
}
