import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { toDatetime } from '../../../src/domain/datetime.ts';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import { runSql } from '../../support/engine.ts';
import type { Record_ } from '../../support/http/api.ts';
import { faults, migratedCli } from '../cli.ts';

const cli = await migratedCli();
const endpoint = (...words: string[]): string[] => ['event-endpoint', ...words];
const show = (id: number): Promise<Record_> => cli.json(endpoint('show', String(id)));
const eventsOf = async (id: number, ...flags: string[]): Promise<Record_[]> =>
  (await cli.ok(['events', String(id), ...flags]))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const newLicense = (key: string, ...flags: string[]) =>
  cli.json(['license', 'create', '--license-key', key, ...flags]);
const URL = 'https://receiver.example.com/hook';
const HEADERS = 'Authorization: Bearer not-shown-again\nX-Shop: 7\n';

let hook: Record_;
let polled: Record_;
before(async () => {
  await cli.ok(['migrate']);
  assert.equal(await cli.ok(endpoint('list')), 'No event endpoints.\n');
  const create = endpoint('create', '--url', URL, '--description', 'CRM', '--headers');
  hook = await cli.json(create, { input: HEADERS });
  polled = await cli.json(endpoint('create', '--kind', 'poll', '--types', 'license.created,license.deleted'));
});

suite('an event endpoint', () => {
  test('is created with a secret and header values that are not shown again', async () => {
    const { secret, ...shown } = hook;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.match(shown.public_key, /^whpk_/);
    assert.deepEqual(
      [shown.kind, shown.url, shown.types, shown.header_names, shown.is_ordered, shown.state],
      ['webhook', URL, null, ['Authorization', 'X-Shop'], false, 'enabled'],
    );
    assert.deepEqual([polled.kind, polled.secret, polled.public_key], ['poll', null, null]);
    assert.deepEqual(polled.types, ['license.created', 'license.deleted']);
    const words = await cli.ok(endpoint('create', '--url', URL, '--ordered', 'yes', '--products', '7,8'));
    const [, id, own] =
      /^Created event endpoint (\d+)[\s\S]*secret +(whsec_\S+)\n +public key +whpk_/.exec(words) ?? [];
    const outputs = await Promise.all([
      cli.ok(endpoint('list')),
      cli.ok(endpoint('list', '--json')),
      cli.ok(endpoint('show', '1')),
      cli.ok(endpoint('show', String(id), '--json')),
      cli.ok(['audit', 'list', '--subject', 'event_endpoint:1']),
      cli.ok(['audit', 'list', '--action', 'event_endpoint.create', '--json']),
    ]);
    assert.match(outputs[0], new RegExp(`^ID .*\\n${id} +webhook +enabled +all +7,8 `));
    assert.match(outputs[4], / event_endpoint\.create +event_endpoint:1 +cli .*description CRM/);
    for (const output of outputs)
      for (const hidden of [secret, own, 'whsec_', 'not-shown-again'])
        assert.ok(!output.includes(`${hidden}`), output);
    await cli.ok(endpoint('delete', String(id)));
    assert.match(await cli.fails(1, endpoint('show', String(id))), /There is no event endpoint "\d+"/);
  });

  test('is refused by the names of the flags: no address, a private address, unknown types, bad headers', async () => {
    const fails = (told: RegExp, words: string[], input = '') =>
      cli.run(endpoint(...words), { input }).then(({ code, stdout, stderr }) => {
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assert.match(stderr, told);
        return stderr;
      });
    await fails(/--url is required/, ['create']);
    await fails(/--url must begin with https/, ['create', '--url', 'http://receiver.example.com']);
    await fails(/--url must be a public address/, ['create', '--url', 'https://127.0.0.1/hook']);
    await fails(/--url can only be given for a webhook/, ['create', '--kind', 'poll', '--url', URL]);
    const ordered = ['--ordered', 'yes'];
    await fails(/--ordered can only be given for a webhook/, ['create', '--kind', 'poll', ...ordered]);
    await fails(/--ordered can only be given for a webhook/, ['update', String(polled.id), ...ordered]);
    await fails(/--types must be one of license\.created.*"license\.lost"/, [
      'create',
      '--types',
      'license.lost',
    ]);
    for (const type of EVENT_TYPES)
      assert.ok((await cli.ok(endpoint('create', '--help'))).includes(type), type);
    const headed = ['create', '--url', URL, '--headers'];
    for (const [told, input] of [
      [/--headers needs lines like/, 'hidden-value'],
      [/--headers needs each header once/, 'A: hidden-value\na: hidden-value'],
      [/--headers must not have Host/, 'Host: hidden-value'],
    ] as const)
      assert.doesNotMatch(await fails(told, headed, input), /hidden-value/);
    await fails(/Name what to change/, ['update', '1']);
  });

  test('is updated; fields without a flag stay', async () => {
    const update = (...flags: string[]) => cli.json(endpoint('update', String(hook.id), ...flags));
    const changed = await update(
      '--types',
      'license.created',
      '--products',
      '7',
      '--ordered',
      'yes',
      '--enabled',
      'no',
    );
    assert.deepEqual(
      [changed.types, changed.products, changed.is_ordered, changed.state, changed.disabled_as],
      [['license.created'], [7], true, 'disabled', 'person'],
    );
    assert.deepEqual(
      [changed.url, changed.description, changed.header_names],
      [URL, 'CRM', hook.header_names],
    );
    assert.match(await cli.fails(1, endpoint('test', String(hook.id))), /is disabled\. Enable it first/);
    await update('--clear', 'types,products', '--ordered', 'no', '--enabled', 'yes');
    const { types, products, is_ordered, state } = await show(hook.id);
    assert.deepEqual([types, products, is_ordered, state], [null, null, false, 'enabled']);
    await cli.json(endpoint('update', String(hook.id), '--headers'), { input: 'X-Other: 1' });
    assert.deepEqual((await show(hook.id)).header_names, ['X-Other']);
    await cli.json(endpoint('update', String(hook.id), '--headers'));
    assert.deepEqual((await show(hook.id)).header_names, []);
  });

  test('gets a new secret, while the old one signs for another day', async () => {
    const rotated = await cli.json(endpoint('rotate-secret', String(hook.id)));
    assert.match(rotated.secret, /^whsec_/);
    assert.notEqual(rotated.secret, hook.secret);
    assert.equal(rotated.public_key, hook.public_key);
    assert.ok(rotated.old_secret_until > rotated.updated_at);
    const words = await cli.ok(endpoint('rotate-secret', String(hook.id)));
    assert.match(words, /secret +whsec_[\s\S]*The old secret signs, too, until \d{4}-/);
    assert.match(await cli.fails(1, endpoint('rotate-secret', String(polled.id))), /is polled/);
  });
});

test('events are printed in order as JSON lines, and deliveries wait for a server', async () => {
  const before = (await show(polled.id)).last_seq;
  await newLicense('EVENT-1');
  await newLicense('EVENT-2');
  await cli.ok(['license', 'update', 'EVENT-2', '--order-id', '7']);
  const events = await eventsOf(polled.id, '--after', String(before));
  assert.deepEqual(
    events.map(({ seq, type, data }) => [seq, type, data.object]),
    [1, 2].map((more) => [before + more, 'license.created', 'license']),
  );
  assert.deepEqual(await eventsOf(polled.id, '--after', String(before), '--limit', '1'), events.slice(0, 1));
  assert.deepEqual(await eventsOf(polled.id, '--after', String(before + 2)), []);
  assert.match(await cli.fails(1, ['events', '99']), /There is no event endpoint "99"/);

  await cli.ok(endpoint('test', String(hook.id)));
  const { deliveries, next_before } = await cli.json(endpoint('deliveries', String(hook.id), '--limit', '2'));
  assert.deepEqual(
    deliveries.map(({ type, state, attempts }: Record_) => [type, state, attempts]),
    [
      ['endpoint.test', 'pending', 0],
      ['license.updated', 'pending', 0],
    ],
  );
  assert.equal(next_before, deliveries[1].seq);
  assert.equal(deliveries[0].due_at, null);
  const words = await cli.ok(
    endpoint('deliveries', String(hook.id), '--limit', '1', '--before', String(next_before)),
  );
  assert.match(
    words,
    /^SEQ .*\n\d+ .* license\.created +license:\d+ +pending +0 .*\nFor more, add --before \d+\n$/,
  );
  assert.equal(
    await cli.ok(endpoint('deliveries', String(hook.id), '--state', 'failed')),
    'No deliveries.\n',
  );
  const kept = await cli.json(endpoint('deliveries', String(polled.id), '--type', 'license.created'));
  assert.ok(kept.deliveries.every(({ state, due_at }: Record_) => state === 'kept' && due_at === null));
});

test('redeliver sends events by seq, by range or all that failed, and nothing else', async () => {
  const redeliver = (...flags: string[]) => endpoint('redeliver', String(hook.id), ...flags);
  // All deliveries are still pending.
  assert.deepEqual(await cli.json(redeliver('--seq', '1')), { redelivered: 0 });
  assert.match(
    await cli.ok(redeliver('--from', '1', '--to', '99')),
    /^Nothing .* latchkey event-endpoint update \d+ --enabled yes\n$/,
  );
  assert.deepEqual(await cli.json(redeliver('--failed')), { redelivered: 0 });
  assert.match(await cli.fails(2, redeliver()), /--seq is required, or from and to, or failed in its place/);
  assert.match(await cli.fails(2, redeliver('--seq', '1', '--failed')), /one of the three/);
  assert.match(await cli.fails(2, redeliver('--from', '2')), /--to is required/);
  assert.match(await cli.fails(2, redeliver('--from', '2', '--to', '1')), /--to must not be before from/);
  const polledToo = endpoint('redeliver', String(polled.id), '--failed');
  assert.match(await cli.fails(1, polledToo), /nothing is sent to it/);
});

test('while nothing is sent to an endpoint, the commands say until when', async () => {
  const id = String(hook.id);
  const again = `latchkey event-endpoint update ${id} --enabled yes`;
  const set = (values: string) =>
    runSql(cli.dataDir, `update event_endpoints set ${values} where id = ${id}`);
  const pausedUntil = toDatetime(Date.now() + 3_600_000);
  const newest = async () => (await cli.json(endpoint('deliveries', id, '--limit', '1'))).deliveries[0];
  await set(`paused_until = '${pausedUntil}'`);
  assert.match(
    await cli.ok(endpoint('test', id)),
    new RegExp(` after ${pausedUntil} UTC; to send at once: ${again}\n$`),
  );
  assert.equal((await newest()).due_at, pausedUntil);
  await set(`state = 'failing'`);
  assert.match(
    await cli.ok(endpoint('test', id)),
    new RegExp(` sends it once the endpoint is enabled: ${again}\n$`),
  );
  assert.equal((await newest()).due_at, null);
  const stopped = (await faults(cli, 0))['Event endpoints'];
  assert.match(stopped, new RegExp(`^warn: nothing is sent to ${id} \\(failing\\) `));
  await cli.ok(endpoint('update', id, '--enabled', 'yes'));
  assert.match(await cli.ok(endpoint('test', id)), / sends it within seconds\.\n$/);
});
