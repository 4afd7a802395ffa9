import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bundleForTests } from '../../tools/bundle.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/postgres.ts';
import { ROOT } from '../support/program.ts';

/**
 * Test files that run at once. By default Node.js leaves one core unused, which is half of two cores; most tests spend
 * time waiting.
 */
const AT_ONCE = Math.max(2, availableParallelism() - 1);
/** Tests start the writer thread from the bundle (`imports` of package.json). */
export const BUNDLE_FLAG = '--conditions=bundle';

/** Returns the environment of test processes. The program that they start is a bundle of the current source. */
export const testEnvironment = async (env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => ({
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'),
  ...env,
  LATCHKEY_TEST_PROGRAM: await bundleForTests(),
});

/** Runs test files, each in its own process. @returns whether all have passed */
export async function runTests(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Promise<boolean> {
  const child = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${AT_ONCE}`, BUNDLE_FLAG, ...flags, ...files],
    { stdio: 'inherit', env: await testEnvironment(env) },
  );
  const [code] = await once(child, 'exit');
  return code === 0;
}

/**
 * Starts a PostgreSQL server without durability, because no test on it cuts the power, and without autovacuum, because no
 * database on it lives long enough.
 */
export const startQuickPostgres = (): Promise<PostgresServer> =>
  startPostgres({ settings: { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' } });
