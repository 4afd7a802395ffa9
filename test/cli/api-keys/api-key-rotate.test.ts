import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ENGINE, runSql } from '../../support/engine.ts';
import { createApi, heard, type Record_ } from '../../support/http/api.ts';
import { startProcess } from '../../support/process.ts';
import { startService } from '../../support/service.ts';
import { migratedCli } from '../cli.ts';

const cli = await migratedCli();
const create = (...flags: string[]): Promise<Record_> => cli.json(['api-key', 'create', ...flags]);
const rotate = (...args: string[]): Promise<Record_> => cli.json(['api-key', 'rotate', ...args]);
const listed = async (id: number): Promise<Record_> =>
  (await cli.json(['api-key', 'list'])).api_keys.find((one: { id: number }) => one.id === id);
const credentialsOf = ({ consumer_key: consumerKey, consumer_secret: consumerSecret }: Record_) => ({
  consumerKey,
  consumerSecret,
});
const inHours = (at: string): number => (Date.parse(`${at.replace(' ', 'T')}Z`) - Date.now()) / 3_600_000;

await cli.ok(['migrate']);
const server = await startService({ after }, { dataDir: cli.dataDir });

test('the new key has the rights of the old one; both are valid until the grace period ends', async () => {
  const flags = ['--permission', 'read', '--endpoints', 'licenses.list,licenses.get', '--products', '7,8'];
  const old = await create(...flags, '--description', 'Editor 3');
  const made = await rotate(String(old.id), '--grace', '12h');
  const { id, consumer_key: key, consumer_secret: secret, key_ending, replaces, ...rights } = made;
  assert.match(key, /^ck_[0-9a-f]{40}$/);
  assert.match(secret, /^cs_[0-9a-f]{40}$/);
  assert.notEqual(key, old.consumer_key);
  assert.notEqual(secret, old.consumer_secret);
  assert.equal(key_ending, key.slice(-7));
  for (const name of ['user_id', 'description', 'permission', 'endpoints', 'products', 'expires_at'])
    assert.deepEqual(rights[name], old[name], name);
  const before = await listed(old.id);
  assert.deepEqual(replaces, { id: old.id, expires_at: before.expires_at, revoked_at: null });
  assert.ok(Math.abs(inHours(before.expires_at) - 12) < 0.1, before.expires_at);
  for (const one of [old, made]) await createApi(server.root, credentialsOf(one)).ok('GET', '/licenses');
  assert.match(await cli.ok(['api-key', 'list']), new RegExp(`\\n${old.id} .* ${before.expires_at} `));
  assert.equal((await listed(id)).expires_at, null);

  // The grace period is over.
  await runSql(cli.dataDir, `update api_keys set expires_at = '2020-01-01 00:00:00' where id = ${old.id}`);
  assert.match(await cli.fails(1, ['api-key', 'rotate', String(old.id)]), /already expired, at 2020-01-01/);
});

test('--grace 0 ends the old key at once on a running server', async () => {
  const old = await create();
  const client = createApi(server.root, credentialsOf(old));
  await client.ok('GET', '/licenses');
  const made = await rotate(old.key_ending, '--grace', '0');
  assert.equal(typeof made.replaces.revoked_at, 'string');
  await heard(() => client.fails(401, 'authentication_error', 'GET', '/licenses'));
  await createApi(server.root, credentialsOf(made)).ok('GET', '/licenses');
  assert.match(await cli.fails(1, ['api-key', 'rotate', String(old.id)]), /was already revoked, at/);
  assert.match(await cli.ok(['api-key', 'revoke', String(made.id)]), /latchkey event-endpoint list/);
});

test('rotation never extends the life of the old key; the default grace period is seven days', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const old = await create('--expires', soon);
  const made = await rotate(old.consumer_key, '--grace', '30d');
  assert.equal(made.replaces.expires_at, soon);
  assert.equal(made.expires_at, soon);
  const lasting = await rotate(String((await create()).id));
  assert.ok(Math.abs(inHours(lasting.replaces.expires_at) - 7 * 24) < 0.1);
});

test('a replaced key cannot be replaced again: the new key would inherit the end of its grace period', async () => {
  const old = await create();
  const made = await rotate(String(old.id), '--grace', '12h');
  const before = await listed(old.id);
  for (const grace of ['3d', '0']) {
    const message = await cli.fails(1, ['api-key', 'rotate', String(old.id), '--grace', grace]);
    assert.match(message, new RegExp(`${old.id} was already replaced by ${made.id}`));
  }
  assert.deepEqual(await listed(old.id), before);
  assert.equal((await rotate(String(made.id))).expires_at, null);
});

test('the text output shows the pair once, and says when the old key ends', async () => {
  const old = await create();
  const words = await cli.ok(['api-key', 'rotate', String(old.id), '--grace', '90m']);
  assert.match(words, /consumer key +ck_[0-9a-f]{40}\n.*consumer secret +cs_[0-9a-f]{40}\n/);
  assert.match(words, new RegExp(`API key ${old.id}, ending in ${old.key_ending}, stays valid until 20`));
  assert.ok(!words.includes(old.consumer_secret));
});

// The settings do not depend on the engine.
test('rotating the key from the settings says that the settings need the new pair', {
  skip: ENGINE === 'postgres',
}, async (t) => {
  const server = await startProcess(t, cli.dataDir);
  const { consumerKey, consumerSecret } = server.credentials;
  const env = { LATCHKEY_CONSUMER_KEY: consumerKey, LATCHKEY_CONSUMER_SECRET: consumerSecret };
  const words = await cli.ok(['api-key', 'rotate', consumerKey, '--grace', '0'], { env });
  assert.match(words, /set it and LATCHKEY_CONSUMER_SECRET to the new pair/);
  await server.fails(401, 'authentication_error', 'GET', '/licenses');
  await server.stop();
  // A start with the old settings does not bring the old key back, and the log says why.
  const again = await startProcess(t, cli.dataDir, { credentials: server.credentials });
  await again.fails(401, 'authentication_error', 'GET', '/licenses');
  await again.stop();
  assert.match(again.output(), /LATCHKEY_CONSUMER_KEY .* is refused: set another/);
});

test('bad values are refused by the name of the flag, and change nothing', async () => {
  const old = await create();
  const count = async () => (await cli.json(['api-key', 'list'])).api_keys.length;
  const before = await count();
  for (const grace of ['soon', '-1d', '7', '1w', '400d', '1.5h', ''])
    assert.match(await cli.fails(2, ['api-key', 'rotate', String(old.id), '--grace', grace]), /--grace must/);
  assert.match(await cli.fails(1, ['api-key', 'rotate', '9999']), /There is no API key/);
  assert.equal(await count(), before);
  assert.equal((await listed(old.id)).expires_at, null);
});
