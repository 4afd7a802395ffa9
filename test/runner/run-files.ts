import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/program.ts';
import { BUNDLE_FLAG } from './run-tests.ts';
import { type Engine, slowestFirst } from './times.ts';

/** What is to run on an engine. */
export interface Group {
  files: readonly string[];
  /** Variables of the processes that run them. */
  env: Record<string, string>;
}

/** Processes of each engine: together more than there are cores, for most tests wait for something part of the time. */
const PROCESSES: Record<Engine, number> = {
  sqlite: availableParallelism() + 1,
  postgres: availableParallelism(),
};
const FLAGS = [
  BUNDLE_FLAG,
  // MiB: with more space for new objects, less time goes into collecting them.
  '--max-semi-space-size=64',
  // Milliseconds for each test: one that waits for ever fails.
  '--test-timeout=900000',
  `--test-reporter=${join(ROOT, 'test/runner/reporter.ts')}`,
];
/**
 * What a test file imports that needs a process of its own: it starts itself again in a namespace, or serves in its process,
 * which ends some time after the signal to stop.
 */
const ALONE = /(support\/faults\/(namespace|small-disk)|src\/server\/serve)\.ts'/;
/** What a test file imports that uses the browser: one process runs them all, so that one browser is started. */
const IN_BROWSER = /support\/console\/console-browser\.ts'/;
/** Milliseconds for all: a process that hangs without its event loop keeps no time limit of its own. */
const MAX_RUN_MS = 7_200_000;
const [HOOK, QUEUE] = ['async-hook', 'queue'].map(
  (module) => pathToFileURL(join(ROOT, `test/runner/${module}.ts`)).href,
);

/**
 * Runs test files with the test runner of Node.js: those of an engine in a few processes, which take one file after the
 * other, so that what all files import is loaded once in each.
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
  // One more, for the files that run alone: Node.js begins with them after all entries, and they must not be left to the end.
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
