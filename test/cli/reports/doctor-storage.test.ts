import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startProcess } from '../../support/process.ts';
import { startService } from '../../support/service.ts';
import { startS3 } from '../../support/storage/s3.ts';
import { type Cli, createCli, faults, migratedCli } from '../cli.ts';
import { artifactFiles, beginUpload } from '../releases/artifacts.ts';

const CLEAN = { flags: ['--fix'] };

/** Creates a data directory with two releases. */
async function withReleases(env: Record<string, string> = {}): Promise<Cli> {
  const cli = await migratedCli();
  await cli.ok(['api-key', 'create']);
  await cli.ok(['software', 'create', '--name', 'Acme', '--access', 'public']);
  for (const version of ['1.0', '1.1']) await cli.ok(publish(version, cli.file('a.zip', version)), { env });
  return cli;
}
const publish = (version: string, file: string) => [
  'release',
  'publish',
  '--software',
  'acme',
  '--version',
  version,
  file,
];
const update = (version: string, file: string) => publish(version, file).with(1, 'update');

const states = (cli: Cli) =>
  artifactFiles(cli.dataDir)
    .sort()
    .map((path) => [path, statSync(path).mtimeMs, statSync(path).size]);

test('doctor finds no problems in a sound storage, and creates no storage if there is none yet', async () => {
  const cli = await withReleases();
  const earlier = states(cli);
  assert.equal(earlier.length, 2);
  assert.match(await cli.ok(['doctor']), /^ok +Release files +2 files, none is missing\nok +Leftovers /m);
  assert.deepEqual(await faults(cli, 0), {});
  assert.deepEqual(states(cli), earlier);
  const fresh = createCli();
  await fresh.ok(['api-key', 'create']);
  assert.deepEqual(await faults(fresh, 0), {});
  assert.deepEqual(await faults(fresh, 0, CLEAN), {});
  assert.ok(!existsSync(join(fresh.dataDir, 'artifacts')));
});

test('doctor names the releases whose files are missing or damaged; uploading the files again repairs them', async (t) => {
  const cli = await withReleases();
  await cli.ok(publish('1.0.1', cli.file('a.zip', '1.0')));
  const [first, second] = artifactFiles(cli.dataDir).sort(
    (a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs,
  );
  truncateSync(second as string, 2);
  assert.match(
    (await faults(cli, 1))['Release files'],
    /^fail: .* the files of acme 1\.1 \| .*backup.*release update/,
  );
  rmSync(first as string);
  assert.match(
    (await faults(cli, 1))['Release files'],
    / the files of acme 1\.0, acme 1\.0\.1, acme 1\.1 \| /,
  );
  await cli.ok(update('1.0', cli.file('a.zip', '1.0')));
  await cli.ok(update('1.1', cli.file('a.zip', '1.1')));
  assert.deepEqual(await faults(cli, 0), {});
  assert.equal(artifactFiles(cli.dataDir).length, 2);
  const server = await startService(t, { dataDir: cli.dataDir });
  const { download_url: url } = await server.ok('GET', '/software/1');
  assert.equal(await (await fetch(url)).text(), '1.1');
});

/** Kills a server in the middle of an upload. */
async function crash(t: TestContext, cli: Cli, env: Record<string, string> = {}): Promise<void> {
  const server = await startProcess(t, cli.dataDir, { env });
  const upload = await beginUpload(server, cli.dataDir, 1);
  await server.stop('SIGKILL');
  upload.close();
}

test('doctor warns about an upload interrupted by a crash, and --fix removes its file', async (t) => {
  const cli = await migratedCli();
  await cli.ok(['software', 'create', '--name', 'Acme']);
  await crash(t, cli);
  const earlier = states(cli);
  const { Leftovers: told } = await faults(cli, 0);
  assert.match(told, /^warn: 1 interrupted upload, 0 files .* \| .*latchkey doctor --fix/);
  assert.deepEqual(states(cli), earlier);
  const words = await cli.ok(['doctor', '--fix']);
  assert.match(words, /^ok +Leftovers +removed: 1 interrupted upload, 0 files/m);
  assert.deepEqual(artifactFiles(cli.dataDir), []);
  assert.match(await cli.ok(['doctor', '--fix']), /^ok +Leftovers +there were none$/m);
});

test('next to a running server, --fix removes leftovers of a crash and no upload in progress', async (t) => {
  const cli = await withReleases();
  const published = artifactFiles(cli.dataDir);
  const server = await startProcess(t, cli.dataDir);
  await crash(t, cli);
  const upload = await beginUpload(server, cli.dataDir, 1);
  t.after(upload.close);
  assert.match((await faults(cli, 0)).Leftovers, /^warn: 1 interrupted upload/);
  assert.deepEqual(await faults(cli, 0, CLEAN), {});
  const { status, body } = await upload.finish();
  assert.equal(status, 200, body);
  const { size } = JSON.parse(body).data;
  assert.equal(size, 600_000);
  assert.equal((await fetch((await server.ok('GET', '/software/1')).download_url)).status, 200);
  await server.stop();
  const files = artifactFiles(cli.dataDir);
  assert.equal(files.length, 3);
  assert.ok(published.every((path) => files.includes(path)));
});

test('--fix removes unreferenced files of a crashed process, but not recent files of an unknown one', async (t) => {
  const cli = await withReleases();
  await crash(t, cli);
  const [lock] = artifactFiles(cli.dataDir).flatMap((path) => /([0-9a-f]+)\.lock$/.exec(path)?.[1] ?? []);
  const shard = join(artifactFiles(cli.dataDir).find((path) => !path.includes('incoming')) as string, '..');
  const name = `${'0'.repeat(64)}`;
  // The first file is from the crashed process, the second one from an unknown process, just now.
  const [orphan, recent] = [join(shard, `${name}.${lock}-7`), join(shard, `${name}.abcdef012345-1`)];
  for (const path of [orphan, recent]) writeFileSync(path, 'bytes');
  assert.match(
    (await faults(cli, 0)).Leftovers,
    /^warn: 1 interrupted upload, 1 file of no release in this database/,
  );
  assert.deepEqual(await faults(cli, 0, CLEAN), {});
  assert.ok(!existsSync(orphan) && existsSync(recent));
});

test('doctor reports no leftovers and removes none if the database is not sound', async (t) => {
  const cli = await withReleases();
  await crash(t, cli);
  const earlier = states(cli);
  cli.database((db) =>
    db.exec("delete from schema_migrations where name like '0002%'; delete from releases"),
  );
  const told = await faults(cli, 1, CLEAN);
  assert.deepEqual(Object.keys(told), ['Migrations']);
  assert.deepEqual(states(cli), earlier);
});

test('doctor reports a storage that cannot be reached or read', async (t) => {
  const s3 = await startS3(t);
  const env = {
    LATCHKEY_S3_BUCKET: s3.bucket,
    LATCHKEY_S3_ENDPOINT: s3.endpoint,
    LATCHKEY_S3_ACCESS_KEY_ID: 'S3RVER',
    LATCHKEY_S3_SECRET_ACCESS_KEY: 'S3RVER',
  };
  const cli = await withReleases(env);
  assert.deepEqual(await faults(cli, 0, { env }), {});
  // Storage settings were lost.
  assert.match((await faults(cli, 1))['Release files'], /^fail: missing.* acme 1\.0, acme 1\.1 /);
  const wrong = { ...env, LATCHKEY_S3_BUCKET: 'nothing-here' };
  assert.match((await faults(cli, 1, { env: wrong }))['Release files'], /has no bucket "nothing-here"/);
  await s3.stop();
  const away = await faults(cli, 1, { env, ...CLEAN });
  assert.match(
    away['Release files'],
    /^fail: The storage .* cannot be used: .* cannot be reached[^"]* \| Until/,
  );
  assert.equal(away.Leftovers, undefined);
});
