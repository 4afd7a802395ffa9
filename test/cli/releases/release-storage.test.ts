import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { databaseEnvironment } from '../../support/engine.ts';
import { cleanEnvironment } from '../../support/process.ts';
import { START } from '../../support/program.ts';
import { before as inFrontOf } from '../../support/storage/proxy.ts';
import { startS3 } from '../../support/storage/s3.ts';
import { type Cli, migratedCli } from '../cli.ts';
import { artifactFiles, whenReceiving } from './artifacts.ts';

const publish = (version: string, ...words: string[]) => [
  ...['release', 'publish', '--software', 'acme', '--version', version],
  ...words,
];
const remove = (version: string, ...words: string[]) => publish(version, ...words).with(1, 'delete');
const total = async (one: Cli) => (await one.json(['release', 'list', '--software', 'acme'])).total;

async function withSoftware(): Promise<Cli> {
  const cli = await migratedCli();
  await cli.ok(['software', 'create', '--name', 'Acme']);
  return cli;
}

async function start(
  t: TestContext,
  args: string[],
  env: { LATCHKEY_DATA_DIR: string; [name: string]: string },
) {
  const database = await databaseEnvironment(env.LATCHKEY_DATA_DIR);
  const child = spawn(process.execPath, [START, ...args], {
    env: { ...cleanEnvironment(), ...database, ...env },
  });
  t.after(() => child.kill('SIGKILL'));
  const [told, ended] = [child.stderr.toArray(), once(child, 'exit')];
  const interrupt = async () => {
    child.kill('SIGINT');
    return [(await ended)[0], (await told).join('')];
  };
  return { child, interrupt };
}
const INTERRUPTED = [130, 'error: Interrupted: nothing was published.\n'];

test('publish interrupted while it stores a file leaves nothing behind', async (t) => {
  const cli = await withSoftware();
  const large = cli.file('large.zip', '');
  truncateSync(large, 2 * 1024 ** 3);
  const { child, interrupt } = await start(t, publish('7.0.0', large), { LATCHKEY_DATA_DIR: cli.dataDir });
  await whenReceiving(cli.dataDir, child);
  assert.deepEqual(await interrupt(), INTERRUPTED);
  assert.deepEqual(artifactFiles(cli.dataDir), []);
  assert.equal(await total(cli), 0);
});

test('publish interrupted while the storage is slow leaves nothing behind', async (t) => {
  const s3 = await startS3(t);
  const remote = await withSoftware();
  const put = Promise.withResolvers<void>();
  let puts = 0;
  const endpoint = await inFrontOf(t, s3.endpoint, ({ method }) => {
    if (method !== 'PUT') return false;
    puts++;
    put.resolve();
    return true;
  });
  const env = {
    LATCHKEY_DATA_DIR: remote.dataDir,
    LATCHKEY_S3_BUCKET: s3.bucket,
    LATCHKEY_S3_ENDPOINT: endpoint,
    LATCHKEY_S3_ACCESS_KEY_ID: 'S3RVER',
    LATCHKEY_S3_SECRET_ACCESS_KEY: 'S3RVER',
  };
  const { interrupt } = await start(t, publish('1.0', remote.file('a.zip', 'a')), env);
  await put.promise;
  assert.deepEqual(await interrupt(), INTERRUPTED);
  // The program did not retry while it waited for the storage.
  assert.equal(puts, 1);
  assert.deepEqual([await s3.objects(), artifactFiles(remote.dataDir)], [[], []]);
  assert.equal(await total(remote), 0);
});

test('publish uses S3 with settings from the environment or from flags', async (t) => {
  const s3 = await startS3(t);
  const remote = await withSoftware();
  const keys = { LATCHKEY_S3_ACCESS_KEY_ID: 'S3RVER', LATCHKEY_S3_SECRET_ACCESS_KEY: 'S3RVER' };
  const env = { ...keys, LATCHKEY_S3_BUCKET: s3.bucket, LATCHKEY_S3_ENDPOINT: s3.endpoint };
  const flags = ['--s3-bucket', s3.bucket, '--s3-endpoint', s3.endpoint, '--s3-prefix', 'files/'];
  await remote.ok(publish('1.0', remote.file('a.zip', 'a')), { env });
  await remote.ok(publish('1.1', remote.file('b.zip', 'b'), ...flags), { env: keys });
  const [one, two, ...more] = await s3.objects();
  assert.match(`${one} ${two}`, /^[0-9a-f]{2}\/\S+ files\/[0-9a-f]{2}\/\S+$/);
  assert.deepEqual([more, artifactFiles(remote.dataDir)], [[], []]);
  await remote.ok(remove('1.1', ...flags), { env: keys });
  assert.deepEqual(await s3.objects(), [one]);

  await s3.stop();
  const away = await remote.fails(3, publish('1.2', remote.file('c.zip', 'c')), { env });
  assert.match(
    away,
    /^error: The storage for release files cannot be used: 127\.0\.0\.1:\d+ cannot be reached/,
  );
  assert.deepEqual(artifactFiles(remote.dataDir), []);
  assert.equal(await total(remote), 1);
});

test('publish says so if it stores a file where no earlier release has one', async (t) => {
  const { bucket, endpoint } = await startS3(t);
  const cli = await withSoftware();
  const told = async (version: string, env: Record<string, string> = {}) =>
    (await cli.run(publish(version, cli.file('a.zip', version)), { env })).stderr;
  assert.deepEqual([await told('1.0'), await told('1.1')], ['', '']);
  const elsewhere = {
    LATCHKEY_S3_BUCKET: bucket,
    LATCHKEY_S3_ENDPOINT: endpoint,
    LATCHKEY_S3_ACCESS_KEY_ID: 'S3RVER',
    LATCHKEY_S3_SECRET_ACCESS_KEY: 'S3RVER',
  };
  assert.match(await told('1.2', elsewhere), /^The files of earlier releases are not in this storage\./);
});
