import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './support/program.ts';
import { runTests, startQuickPostgres } from './support/run-tests.ts';

/**
 * Runs every test but those of `npm run test:cluster`: all on SQLite, and on PostgreSQL those of what an engine can
 * change. PostgreSQL is a server of our own, or that of LATCHKEY_TEST_DATABASE_URL. Arguments are test files; with none,
 * all are run.
 */
const OF_ENGINES = [
  'test/{contract,crash,engine,fuzz,http,wire}/**/*.test.ts',
  'test/e2e/{dashboard,license-page,licenses}.test.ts',
  'test/cli/{api-key,api-key-rotate,audit,export,generator,import,interrupt,licenses,release,release-storage,software}.test.ts',
];
const ALL = [
  'src/**/*.test.ts',
  'test/*.test.ts',
  'test/{abuse,bench,cli,console,e2e,faults,process,storage,store}/**/*.test.ts',
  ...OF_ENGINES,
];
/** Milliseconds for each test, of which the longest take half a minute: one that waits for ever fails. */
const FLAGS = ['--test-timeout=600000'];
const given = process.argv.slice(2);

async function run(heading: string, files: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  console.log(`\n${heading}\n`);
  return runTests(given.length > 0 ? given : files, env, FLAGS);
}

const { LATCHKEY_TEST_DATABASE_URL: url, ...env } = process.env;
// Some tests ask for its pages, as they are served.
execFileSync(process.execPath, [join(ROOT, 'console/build.ts'), '--if-missing'], { stdio: 'inherit' });
const onSqlite = await run('On SQLite', ALL, env);
const server = url ? null : await startQuickPostgres();
const databaseUrl = url ?? server?.url('postgres');
const onPostgres = await run('On PostgreSQL', OF_ENGINES, {
  ...env,
  LATCHKEY_TEST_DATABASE_URL: databaseUrl,
});
await server?.stop();
process.exitCode = onSqlite && onPostgres ? 0 : 1;
