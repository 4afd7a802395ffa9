import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { type PostgresServer, startPostgres } from './postgres.ts';

/** Test files at once. Node.js leaves one core alone, which on two cores is half of them; most tests wait for something. */
const AT_ONCE = Math.max(2, availableParallelism() - 1);

/** Runs test files, and tells how they do. @returns whether all have passed */
export async function runTests(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Promise<boolean> {
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${AT_ONCE}`, ...flags, ...files], {
    stdio: 'inherit',
    env,
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** A server for tests that nothing has to survive a power cut of. */
export const startQuickPostgres = (): Promise<PostgresServer> =>
  startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
