import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/program.ts';
import { BUNDLE_FLAG } from './run-tests.ts';
import { type Engine, slowestFirst } from './times.ts';

/** The test files to run on an engine. */
export interface Group {
  files: readonly string[];
  /** Environment variables of the processes that run the files. */
  env: Record<string, string>;
}

/** Processes per engine: more in total than there are cores, because most tests spend some time waiting. */
const PROCESSES: Record<Engine, number> = {
  sqlite: availableParallelism() + 1,
  postgres: availableParallelism(),
};
const FLAGS = [
  BUNDLE_FLAG,
  // MiB: more space for new objects reduces the time for garbage collection.
  '--max-semi-space-size=64',
  // Milliseconds for each test: a test that waits forever fails.
  '--test-timeout=900000',
  `--test-reporter=${join(ROOT, 'test/runner/reporter.ts')}`,
];
/**
 * Matches an import of a test file that needs its own process: the file restarts itself in a namespace, or runs a
 * server in its process that ends some time after the signal to stop.
 */
const ALONE = /(support\/faults\/(namespace|small-disk)|src\/server\/serve)\.ts'/;
/**
 * Matches an import of a test file that uses the browser: one process runs all of these files, so that it starts only
 * one browser.
 */
const IN_BROWSER = /support\/console\/console-browser\.ts'/;
/** Limit for the whole run in milliseconds: a process whose event loop hangs cannot enforce its own time limit. */
const MAX_RUN_MS = 7_200_000;
const [HOOK, QUEUE] = ['async-hook', 'queue'].map(
  (module) => pathToFileURL(join(ROOT, `test/runner/${module}.ts`)).href,
);

/**
 * Runs test files with the test runner of Node.js. A few processes per engine take one file after the other, so that
 * each process loads the shared modules only once.
 * @returns whether all tests have passed
 */
export async function runFiles(env: NodeJS.ProcessEnv, groups: Record<Engine, Group>): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-run-'));
  const importing = (what: RegExp) =>
    groups.sqlite.files.filter((file) => what.test(readFileSync(join(ROOT, file), 'utf8')));
  const [alone, inBrowser] = [importing(ALONE), importing(IN_BROWSER)];
  const entries = (Object.keys(PROCESSES) as Engine[]).flatMap((engine) => {
    const { files, env } = groups[engine];
    const queued = files.filter((file) => !alone.includes(file));
    const [queue, browserQueue] = [join(folder, engine), join(folder, `${engine}-browser`)];
    writeFileSync(
      queue,
      slowestFirst(
        queued.filter((file) => !inBrowser.includes(file)),
        engine,
      ).join('\n'),
    );
    writeFileSync(
      browserQueue,
      slowestFirst(
        queued.filter((file) => inBrowser.includes(file)),
        engine,
      ).join('\n'),
    );
    return Array.from({ length: Math.min(PROCESSES[engine], queued.length) }, (_, number) =>
      writeEntry(
        join(folder, `${engine}-${number + 1}.mjs`),
        number === 0 ? [browserQueue, queue] : [queue],
        env,
      ),
    );
  });
  // One more process for the files that run alone: Node.js would start them after all entries, and so at the end of the
  // run.
  const flags = ['--test', `--test-concurrency=${PROCESSES.sqlite + PROCESSES.postgres + 1}`, ...FLAGS];
  const child = spawn(process.execPath, [...flags, ...entries, ...alone], {
    stdio: 'inherit',
    cwd: ROOT,
    env,
    timeout: MAX_RUN_MS,
  });
  const [code] = await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
  return code === 0;
}

/** Writes the file that the test runner starts as a process. */
function writeEntry(entry: string, queues: readonly string[], env: Record<string, string>): string {
  const [hook, module, variables, places] = [HOOK, QUEUE, env, queues].map((value) => JSON.stringify(value));
  writeFileSync(
    entry,
    `Object.assign(process.env, ${variables});\n` +
      `await import(${hook});\nconst { runQueues } = await import(${module});\nawait runQueues(${places});\n`,
  );
  return entry;
}
