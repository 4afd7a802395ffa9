import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepFilesInMemory } from './runner/files-in-memory.ts';
import { runFiles } from './runner/run-files.ts';
import { startQuickPostgres, testEnvironment } from './runner/run-tests.ts';
import { makeTemplate } from './runner/template.ts';
import { makeEmptyData } from './support/postgres/postgres.ts';
import { ROOT } from './support/program.ts';

/**
 * Runs every test except those of `npm run test:cluster`, of which it runs one: all tests on SQLite and, at the same
 * time, those that depend on the engine on PostgreSQL. PostgreSQL is a server that the run starts, or the one of
 * LATCHKEY_TEST_DATABASE_URL. Arguments are test files; without arguments, all of them run.
 */
const OF_ENGINES = [
  'test/{contract,crash,engine,http}/**/*.test.ts',
  'test/fuzz/{concurrent,model,requests,seats}.test.ts',
  'test/cli/{api-keys/api-key-rotate,audit/audit,batches/import,batches/interrupt}.test.ts',
];
/** Tests of what the service decides before a request reaches the store, or after the store has answered. */
const ENGINE_NEUTRAL = [
  'test/contract/requests/**',
  'test/contract/{addresses,integers,licenses/deep-meta}*',
  'test/contract/releases/{download-answers,download-url,downloads,release-files,update-releases,updates}*',
  'test/http/protocol/**',
  'test/http/admin/{generators,imports}*',
  'test/http/lmfwc-v2/{clients,records,refusals}*',
  'test/http/{dialects,logging,plugin-clients,updaters}*',
];
const ALL = [
  'src/**/*.test.ts',
  'test/*.test.ts',
  'test/{abuse,bench,cli,console,e2e,faults,guides,process,storage,store,wire,wordpress}/**/*.test.ts',
  'sdk/javascript/test/*.test.ts',
  'test/programs/interpreted.test.ts',
  'test/fuzz/leases.test.ts',
  'test/cluster/plans.test.ts',
  ...OF_ENGINES,
];

const given = process.argv.slice(2);
const filesOf = (patterns: readonly string[], exclude: readonly string[] = []): string[] =>
  globSync(patterns, { cwd: ROOT, exclude });
const files = filesOf(given.length > 0 ? given : ALL);
if (files.length === 0) {
  console.error(`No test file matches ${given.join(' ')}.`);
  process.exit(1);
}
const ofEngines = new Set(filesOf(OF_ENGINES, ENGINE_NEUTRAL));

keepFilesInMemory();
// Making the empty data takes 0.7 s of processor time, and copying them a tenth of that.
process.env.LATCHKEY_TEST_POSTGRES = await makeEmptyData();
const { LATCHKEY_TEST_DATABASE_URL: url, ...variables } = process.env;
const [env] = await Promise.all([
  testEnvironment(variables),
  // Some tests request the console's pages.
  promisify(execFile)(process.execPath, [join(ROOT, 'console/build.ts'), '--if-missing']),
]);
const server = url ? null : await startQuickPostgres();
const databaseUrl = url ?? String(server?.url('postgres'));
const templates = { sqlite: await makeTemplate(null), postgres: await makeTemplate(databaseUrl) };

const isDone = await runFiles(env, {
  sqlite: { files, env: { LATCHKEY_TEST_TEMPLATE: templates.sqlite.dataDir } },
  postgres: {
    files: files.filter((file) => ofEngines.has(file)),
    env: { LATCHKEY_TEST_TEMPLATE: templates.postgres.dataDir, LATCHKEY_TEST_DATABASE_URL: databaseUrl },
  },
});

await templates.sqlite.remove();
await templates.postgres.remove();
await server?.stop();
process.exitCode = isDone ? 0 : 1;
