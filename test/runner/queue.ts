import { mkdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeShared, leaveToQueue } from '../support/closing.ts';
import { ENGINE } from '../support/engine.ts';
import { closeFolders } from '../support/folder.ts';
import { hookOfTestRunner } from './async-hook.ts';
import { processorSeconds } from './processor.ts';
import { titleOf, usageMessage } from './times.ts';

/** Milliseconds for one test file, on a machine that has much else to do: one that waits for ever fails. */
const MAX_FILE_MS = 900_000;

/**
 * Runs test files in this process, one after the other, each as one test, until the queues are empty.
 * Several processes may take files from one queue. The function of a suite must not be `async`: tests that it declared later
 * would belong to no file.
 * @param queues files with the names of the test files, one a line, which are taken in this order. Beside a queue is a folder
 * for each test file that was taken.
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
      // As at the root: no test begins before the file has declared all of them.
      t.before(() => declared.promise);
      try {
        // What the file declares while it is imported, hooks too, belongs to this test.
        await import(pathToFileURL(file).href);
      } finally {
        hookOfTestRunner?.disable();
        declared.resolve();
      }
      // Registered last, and so called after all hooks of the file.
      t.after(() => {
        closeFolders();
        t.diagnostic(usageMessage(title, processorSeconds() - before));
      });
    });
  }
  await closeShared();
}

const placesOf = (queue: string): { place: string; file: string }[] =>
  readFileSync(queue, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((file, nth) => ({ place: `${queue}.${nth}`, file }));

/** Takes a place of a queue, unless another process has. */
function isTaken(place: string): boolean {
  try {
    mkdirSync(place);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true;
    throw error;
  }
}
