import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, importsOf, refusalOf } from '../tools/boundaries.ts';

const FORBIDDEN: [file: string, imported: string][] = [
  ['src/domain/licenses/license.ts', 'node:crypto'],
  ['src/domain/licenses/license.ts', 'src/app/execute.ts'],
  ['src/domain/licenses/license.ts', 'src/store/store.ts'],
  ['src/app/licenses/create-license.ts', 'src/store/sql/licenses/licenses.ts'],
  ['src/app/licenses/create-license.ts', 'src/store/keys/keyring.ts'],
  ['src/app/licenses/create-license.ts', 'src/http/errors.ts'],
  ['src/app/licenses/create-license.ts', 'src/config/config.ts'],
  ['src/app/licenses/create-license.ts', 'kysely'],
  ['src/app/licenses/create-license.ts', 'node:sqlite'],
  ['src/app/releases/uploads.ts', 'src/storage/local.ts'],
  ['src/store/store.ts', 'src/app/execute.ts'],
  ['src/store/store.ts', 'kysely'],
  ['src/store/sql/licenses/licenses.ts', 'src/store/sqlite/connection.ts'],
  ['src/store/sql/licenses/licenses.ts', 'node:sqlite'],
  ['src/store/sqlite/store.ts', 'src/http/server.ts'],
  ['src/store/sqlite/store.ts', 'src/store/postgres/store.ts'],
  ['src/store/postgres/store.ts', 'src/store/sqlite/store.ts'],
  ['src/store/migrations/0001-initial.ts', 'src/domain/licenses/license.ts'],
  ['src/storage/local.ts', 'src/store/store.ts'],
  ['src/store/sqlite/writer.ts', 'prom-client'],
  ['src/http/metrics.ts', 'prom-client'],
  ['src/metrics/tally.ts', 'src/metrics/families.ts'],
  ['src/http/authentication.ts', 'src/http/dlm-v1/errors.ts'],
  ['src/http/server.ts', 'src/store/sqlite/store.ts'],
  ['src/http/dlm-v1/licenses.ts', 'src/http/admin/licenses/licenses.ts'],
  ['src/http/dlm-v1/licenses.ts', 'src/config/config.ts'],
  ['src/cli/licenses/license.ts', 'src/store/sql/licenses/licenses.ts'],
  ['src/cli/licenses/license.ts', 'src/http/errors.ts'],
  ['src/installation/open.ts', 'src/cli/open.ts'],
  ['src/installation/open.ts', 'src/http/server.ts'],
  ['src/server/serve.ts', 'src/cli/program.ts'],
  ['src/config/config.ts', 'src/domain/licenses/license.ts'],
  ['console/features/licenses/queries.ts', 'console/features/generators/queries.ts'],
  ['console/features/licenses/queries.ts', 'src/domain/licenses/license.ts'],
  ['console/app/session.ts', 'src/domain/user.ts'],
  ['console/ui/format.ts', 'console/app/session.ts'],
  ['console/client/api.ts', 'console/features/licenses/queries.ts'],
  ['sdk/javascript/src/client.ts', 'node:fs'],
  ['sdk/javascript/src/client.ts', 'fast-check'],
  ['sdk/javascript/src/client.ts', 'src/app/leases/compact.ts'],
  ['sdk/javascript/src/index.ts', 'sdk/javascript/src/node/file-storage.ts'],
];
const ALLOWED: [file: string, imported: string][] = [
  ['src/domain/licenses/license.ts', 'src/domain/fields.ts'],
  ['src/app/licenses/create-license.ts', 'src/app/generators/generators.ts'],
  ['src/app/licenses/create-license.ts', 'src/store/store.ts'],
  ['src/store/sqlite/store.ts', 'src/store/sql/index.ts'],
  ['src/store/sqlite/writer.ts', 'src/metrics/tally.ts'],
  ['src/http/server.ts', 'src/http/dlm-v1/licenses.ts'],
  ['src/http/dlm-v1/licenses.ts', 'src/app/licenses/licenses.ts'],
  ['src/cli/licenses/license.ts', 'src/installation/open.ts'],
  ['src/server/serve.ts', 'src/http/server.ts'],
  ['src/main.ts', 'src/cli/program.ts'],
  ['console/features/licenses/queries.ts', 'console/features/licenses/routes.ts'],
  ['console/features/licenses/queries.ts', 'console/ui/table/columns.ts'],
];

test('refusalOf refuses imports across a boundary, and allows those that the layers permit', () => {
  for (const [file, imported] of FORBIDDEN) assert.ok(refusalOf(file, imported), `${file} ${imported}`);
  for (const [file, imported] of ALLOWED)
    assert.equal(refusalOf(file, imported), null, `${file} ${imported}`);
});

test('importsOf finds every form of import', () => {
  const source = [
    "import type { A } from './a.ts';",
    "import {\n  b,\n} from '../b.ts';",
    "import './c.ts';",
    "export { d } from 'd';",
    "const e = await import('node:e');",
    "// import { f } from './f.ts';",
    "export const g = 'g';",
  ].join('\n');
  const found = importsOf('src/app/x.ts', source);
  assert.deepEqual(found, ['src/app/a.ts', 'src/b.ts', 'src/app/c.ts', 'd', 'node:e']);
});

test('faultsOf names the file and the reason', () => {
  const sources: Record<string, string> = {
    'src/app/a.ts': "import { b } from './b.ts';",
    'src/app/b.ts': "import type { A } from './a.ts';\nimport { Kysely } from 'kysely';",
  };
  const faults = faultsOf(Object.keys(sources), (file) => String(sources[file]));
  assert.equal(faults.length, 1);
  assert.match(String(faults[0]), /^src\/app\/b\.ts imports kysely: app\//);
});
