import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { runLatchkey, startProcess } from '../support/process.ts';
import { startS3 } from '../support/storage/s3.ts';
import { until } from '../support/until.ts';
import { isRunning } from '../support/workers.ts';
import { copyExecutable, installPackage } from './forms.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

for (const { name, file, folder, path } of [installPackage(), copyExecutable()]) {
  /** Without the variables that a server sets for itself. */
  const bare = { PATH: path, MALLOC_ARENA_MAX: undefined };
  const program = [file];
  const serve = (t: Parameters<typeof startProcess>[0], dataDir: string, env: Record<string, string> = {}) =>
    startProcess(t, dataDir, { program, env: { ...bare, ...env } });
  async function run(dataDir: string, words: string[], env: Record<string, string> = {}): Promise<string> {
    const settings = { ...bare, LATCHKEY_DATA_DIR: dataDir, ...env };
    const { code, stdout, stderr } = await runLatchkey(words, { program, cwd: dataDir, env: settings });
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
    return stdout;
  }

  test(`${name} serves the API, the console and the reference, with the memory limits of a server`, async (t) => {
    const api = await serve(t, temporaryFolder());
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key);
    await api.ok('GET', `/licenses/validate/${token}`);
    const read = async (address: string) => {
      const response = await fetch(new URL(address, api.origin));
      assert.equal(response.status, 200, address);
      return response.text();
    };
    // Fetch each page, and every file that it references.
    for (const page of ['/console/', '/docs']) {
      const html = await read(page);
      const files = [...html.matchAll(/<(?:script|link)[^>]*(?:src|href)="((?!data:)[^"#]+)"/g)].map(
        ([, at]) => at,
      );
      assert.ok(files.length > 0, html);
      for (const at of files) assert.notEqual(await read(new URL(at ?? '', api.origin + page).href), '');
    }
    const document = JSON.parse(await read('/wp-json/dlm/v1/openapi.json'));
    assert.equal(document.info.version, manifest.version);
    const environment = readFileSync(`/proc/${api.child.pid}/environ`, 'utf8').split('\0');
    assert.ok(environment.includes('MALLOC_ARENA_MAX=1'));
    assert.ok(environment.includes('NODE_OPTIONS=--max-semi-space-size=8 --max-old-space-size=512'));
    assert.equal(await api.stop(), 0);
  });

  test(`${name} serves with two workers, and replaces one that dies`, async (t) => {
    const api = await serve(t, temporaryFolder(), { LATCHKEY_WORKERS: '2' });
    const workers = () =>
      readFileSync(`/proc/${api.child.pid}/task/${api.child.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .map(Number);
    const [first = 0, ...others] = workers();
    assert.equal(others.length, 1);
    process.kill(first, 'SIGKILL');
    await until(() => !isRunning(first) && workers().length === 2);
    for (let i = 0; i < 4; i++) await api.license();
    assert.equal(await api.stop(), 0);
  });

  test(`${name} runs commands: import, export, publish to S3, backup, verify and restore`, async (t) => {
    const { endpoint, bucket, credentials, objects } = await startS3(t);
    const s3 = {
      LATCHKEY_S3_ENDPOINT: endpoint,
      LATCHKEY_S3_BUCKET: bucket,
      LATCHKEY_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      LATCHKEY_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    const dataDir = temporaryFolder();
    assert.equal(await run(dataDir, ['--version']), `${manifest.version}\n`);
    await run(dataDir, ['migrate']);
    writeFileSync(join(dataDir, 'licenses.csv'), 'license_key,valid_for\nACME-0001,30\n');
    await run(dataDir, ['license', 'import', 'licenses.csv']);
    await run(dataDir, ['software', 'create', '--name', 'Acme'], s3);
    const publish = ['release', 'publish', '--software', 'acme', '--version', '1.0.0'];
    await run(dataDir, [...publish, '--changelog', 'licenses.csv', 'licenses.csv'], s3);
    assert.equal((await objects()).length, 1);
    const backups = temporaryFolder();
    await run(dataDir, ['backup', '--to', backups], s3);
    const backup = join(backups, String(readdirSync(backups)[0]));
    await run(dataDir, ['backup', 'verify', backup]);
    const restored = temporaryFolder();
    const key = readFileSync(join(dataDir, 'master.key'), 'utf8').trim();
    await run(restored, ['restore', backup], { LATCHKEY_MASTER_KEY: key });
    assert.match(await run(restored, ['license', 'export'], { LATCHKEY_MASTER_KEY: key }), /^"ACME-0001",/m);
    if (name === 'the executable') assert.deepEqual(readdirSync(folder), ['latchkey']);
  });

  test(`${name} serves from PostgreSQL`, async (t) => {
    const postgres = await startPostgres({ settings: { fsync: 'off' } });
    t.after(() => postgres.stop());
    await postgres.query('create database latchkey');
    const api = await serve(t, temporaryFolder(), { LATCHKEY_DATABASE_URL: postgres.url('latchkey') });
    await api.activation((await api.license()).license_key);
    assert.equal(await api.stop(), 0);
  });
}

test('the npm package has no dependencies, its licenses and documents, and less than 20 MB', () => {
  const { folder } = installPackage();
  const all = join(folder, 'lib/node_modules');
  // npm keeps a lock file in this folder.
  assert.deepEqual(
    readdirSync(all).filter((name) => !name.startsWith('.')),
    ['latchkey'],
  );
  const files = readdirSync(all, { recursive: true, encoding: 'utf8' });
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'docs/README.md', 'dist/program/licenses.txt'])
    assert.ok(files.includes(join('latchkey', name)), name);
  assert.ok(!files.some((file) => /node_modules|\.ts$|\.test\./.test(file)));
  const bytes = files.reduce((sum, file) => sum + statSync(join(all, file)).size, 0);
  assert.ok(bytes < 20e6, `${bytes} bytes`);
});
