import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './support/folder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What Biome says, under our rules, of a file for each of these imports in a tree of their own. */
function lint(imports: readonly [path: string, specifier: string][]): string[] {
  const folder = temporaryFolder();
  const rules = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...rules, vcs: { enabled: false } }));
  return imports.map(([path, specifier], i) => {
    // store.ts has rules of its own, so it keeps its name.
    const file =
      path === 'src/store/store.ts' || path === 'src/config.ts' ? path : join(dirname(path), `file${i}.ts`);
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), `import { thing } from '${specifier}';\nexport const same = thing;\n`);
    const args = ['lint', '--only=style/noRestrictedImports', file];
    const { stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin/biome'), args, {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout + stderr;
  });
}

const FORBIDDEN: [path: string, specifier: string][] = [
  ['src/domain/license.ts', 'node:crypto'],
  ['src/domain/license.ts', 'kysely'],
  ['src/domain/license.ts', '../app/execute.ts'],
  ['src/domain/license.ts', '../store/store.ts'],
  ['src/app/create-license.ts', '../store/sql/licenses.ts'],
  ['src/app/create-license.ts', '../store/keyring.ts'],
  ['src/app/create-license.ts', '../http/errors.ts'],
  ['src/app/create-license.ts', '../config.ts'],
  ['src/app/create-license.ts', 'kysely'],
  ['src/app/create-license.ts', 'fastify'],
  ['src/app/create-license.ts', 'node:sqlite'],
  ['src/http/server.ts', 'node:sqlite'],
  ['src/store/sqlite/store.ts', 'fastify'],
  ['src/store/store.ts', './sql/licenses.ts'],
  ['src/store/store.ts', '../app/execute.ts'],
  ['src/store/sql/licenses.ts', '../../app/execute.ts'],
  ['src/store/sql/licenses.ts', '../sqlite/connection.ts'],
  ['src/store/sql/licenses.ts', 'node:sqlite'],
  ['src/store/sqlite/store.ts', '../../http/server.ts'],
  ['src/store/sqlite/store.ts', '../postgres/store.ts'],
  ['src/store/postgres/store.ts', '../sqlite/store.ts'],
  ['src/store/postgres/store.ts', '../../app/execute.ts'],
  ['src/store/migrations/0001-initial.ts', '../../domain/license.ts'],
  ['src/http/server.ts', '../store/sqlite/store.ts'],
  ['src/http/server.ts', '../cli/program.ts'],
  ['src/http/dlm-v1/licenses.ts', '../../store/sql/licenses.ts'],
  ['src/http/dlm-v1/licenses.ts', '../admin/licenses.ts'],
  ['src/http/dlm-v1/licenses.ts', '../../config.ts'],
  ['src/cli/license.ts', '../store/sql/licenses.ts'],
  ['src/cli/license.ts', '../http/errors.ts'],
  ['src/config.ts', './domain/license.ts'],
  ['src/app/uploads.ts', '../storage/local.ts'],
  ['src/http/upload.ts', '../storage/artifacts.ts'],
  ['src/cli/release.ts', '../storage/s3.ts'],
  ['src/storage/local.ts', '../store/store.ts'],
  ['src/storage/artifacts.ts', '../domain/release.ts'],
  ['console/features/licenses/queries.ts', '../generators/queries.ts'],
  ['console/features/licenses/queries.ts', '../../../src/domain/license.ts'],
  ['console/app/session.ts', '../../src/domain/user.ts'],
  ['console/ui/format.ts', '../app/session.ts'],
  ['console/client/api.ts', '../features/licenses/queries.ts'],
];
const ALLOWED: [path: string, specifier: string][] = [
  ['src/domain/license.ts', './fields.ts'],
  ['src/app/create-license.ts', '../domain/license.ts'],
  ['src/app/create-license.ts', '../store/store.ts'],
  ['src/store/sql/licenses.ts', '../../domain/license.ts'],
  ['src/store/sqlite/store.ts', '../sql/index.ts'],
  ['src/http/server.ts', '../app/execute.ts'],
  ['src/http/dlm-v1/licenses.ts', '../errors.ts'],
  ['src/http/dlm-v1/licenses.ts', '../../app/licenses.ts'],
  ['src/cli/license.ts', '../config.ts'],
  ['src/app/uploads.ts', '../storage/storage.ts'],
  ['src/http/upload.ts', '../storage/storage.ts'],
  ['src/main.ts', './store/sqlite/store.ts'],
  ['console/features/licenses/queries.ts', '../../client/api.ts'],
  ['console/features/licenses/queries.ts', '../../ui/table/columns.ts'],
  ['console/features/licenses/routes.ts', '../../app/shell-route.ts'],
  ['console/ui/format.ts', '../client/errors.ts'],
];

test('an import across a boundary is refused', () => {
  for (const [i, said] of lint(FORBIDDEN).entries()) {
    assert.match(said, /noRestrictedImports/, String(FORBIDDEN[i]));
  }
});

test('an import that the layers allow is not', () => {
  for (const [i, said] of lint(ALLOWED).entries()) {
    assert.doesNotMatch(said, /noRestrictedImports/, String(ALLOWED[i]));
    assert.match(said, /Checked 1 file/);
  }
});
