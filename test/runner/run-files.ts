import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/program.ts';

export type Engine = 'sqlite' | 'postgres';

/** Processes of each engine. Most tests wait for something part of the time. */
const PROCESSES: Record<Engine, number> = {
  sqlite: availableParallelism(),
  postgres: Math.ceil(availableParallelism() / 2),
};
/** Milliseconds for a process and for each test in it: one that waits for ever fails. */
const FLAGS = ['--test-timeout=1200000', `--test-reporter=${join(ROOT, 'test/runner/reporter.ts')}`];
/** What a test file imports that runs itself again in another process. */
const ISOLATED = /support\/(namespace|small-disk)\.ts'/;
const MODULE = (name: string) => JSON.stringify(pathToFileURL(join(ROOT, name)).href);

/**
 * Runs test files with the runtime's own test runner: each engine's in a few processes, which take one file after the
 * other, so that what all files import is loaded once in each.
 * @returns whether all tests have passed
 */
export async function runFiles(
  files: Record<Engine, readonly string[]>,
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-run-'));
  const isolated = files.sqlite.filter((file) => ISOLATED.test(readFileSync(join(ROOT, file), 'utf8')));
  const entries = (['sqlite', 'postgres'] as const).flatMap((engine) => {
    const queue = join(folder, engine);
    mkdirSync(queue);
    const queued = files[engine].filter((file) => !isolated.includes(file));
    writeFileSync(join(queue, 'files'), queued.join('\n'));
    const set = engine === 'postgres' ? { LATCHKEY_TEST_DATABASE_URL: databaseUrl } : {};
    return Array.from({ length: Math.min(PROCESSES[engine], queued.length) }, (_, number) => {
      const entry = join(folder, `${engine}-${number + 1}.mjs`);
      writeFileSync(
        entry,
        `Object.assign(process.env, ${JSON.stringify(set)});
const { runQueue } = await import(${MODULE('test/runner/queue.ts')});
await runQueue(${JSON.stringify(queue)});
`,
      );
      return entry;
    });
  });
  const atOnce = PROCESSES.sqlite + PROCESSES.postgres;
  const child = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${atOnce}`, ...FLAGS, ...entries, ...isolated],
    {
      stdio: 'inherit',
      cwd: ROOT,
      env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'), ...env },
    },
  );
  const [code] = await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
  return code === 0;
}
