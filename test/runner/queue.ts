import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import nodeTest, { type SuiteFn, type TestOptions, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeFolders } from '../support/folder.ts';

/** In the folder of a queue: the names of its test files, one a line. Beside it is a folder for each that was taken. */
export const FILES = 'files';
/** Milliseconds for one test file. */
const MAX_FILE_MS = 600_000;

/** Bodies of suites that are still running. */
const suites = new Set<Promise<unknown>>();

/**
 * Runs test files in this process, one after the other, each as one test, until the queue is empty.
 * Several processes may take files from one queue.
 */
export async function runQueue(queue: string): Promise<void> {
  collectSuites();
  const files = readFileSync(join(queue, FILES), 'utf8').split('\n').filter(Boolean);
  for (const [place, file] of files.entries()) {
    if (isTaken(join(queue, String(place)))) continue;
    const cpu = cpuOf();
    await test(file, { timeout: MAX_FILE_MS }, async (t) => {
      const declared = Promise.withResolvers<void>();
      t.before(() => declared.promise);
      try {
        // What the file declares while it is imported, hooks too, belongs to this test.
        await import(pathToFileURL(file).href);
        // Suites in suites, too.
        while (suites.size > 0) await Promise.all(suites);
      } finally {
        declared.resolve();
      }
      // Registered last, and so called after all hooks of the file.
      t.after(closeFolders);
    });
    if (process.env.CPU_LOG) appendFileSync(process.env.CPU_LOG, `${(cpuOf() - cpu).toFixed(2)} ${file}\n`);
  }
}

/**
 * Has `suite` tell when its body has ended. The root of a test process starts no test before all suites have declared
 * theirs, and files rely on that: a body may await what its tests need. A test inside another starts at once.
 */
function collectSuites(): void {
  const { suite } = nodeTest;
  const collect =
    (body: SuiteFn): SuiteFn =>
    (context) => {
      const ended = Promise.resolve(body(context)).finally(() => suites.delete(ended));
      suites.add(ended);
      return ended;
    };
  const collecting = (name: string, ...rest: [SuiteFn] | [TestOptions, SuiteFn]) =>
    rest.length === 1 ? suite(name, collect(rest[0])) : suite(name, rest[0], collect(rest[1]));
  Object.assign(nodeTest, { suite: Object.assign(collecting, suite) });
  syncBuiltinESMExports();
}

function cpuOf(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').map(Number) ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / 100;
}

/** Takes a place of the queue, unless another process has. */
function isTaken(place: string): boolean {
  try {
    mkdirSync(place);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true;
    throw error;
  }
}
