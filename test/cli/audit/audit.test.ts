import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import { test } from 'node:test';
import { tamper } from '../../support/audit.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { migratedCli } from '../cli.ts';

const cli = await migratedCli();
const key = 'ACME-0001-AAAA-BBBB';
await cli.ok(['license', 'create', '--license-key', key, '--product-id', '7']);
await cli.ok(['license', 'import', cli.file('some.csv', 'license_key\nONE\nTWO\nTHREE\n')]);
const { id: apiKey } = await cli.json(['api-key', 'create', '--description', 'Shop']);
await cli.ok(['api-key', 'revoke', String(apiKey)]);

test('list shows what the command line changed, by whom and where, newest first', async () => {
  const { entries, next_before } = await cli.json(['audit', 'list']);
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action),
    [
      'api_key.revoke',
      'api_key.create',
      'license.import',
      'license.create',
      'signing_key.create',
      'user.create',
    ],
  );
  assert.equal(next_before, null);
  const [, , imported, created, , user] = entries;
  const owner = { user_id: 1, via: 'cli', api_key_id: null, origin: `${userInfo().username}@${hostname()}` };
  for (const { user_id, via, api_key_id, origin } of entries.slice(0, 4))
    assert.deepEqual({ user_id, via, api_key_id, origin }, owner);
  assert.deepEqual([user.via, user.origin], ['system', null]);
  assert.deepEqual(imported.about, { created: 3, source: 'import' });
  assert.deepEqual([created.after.license_key, created.after.status], ['…BBBB', 'active']);
});

test('list prints text, filters by license and other fields, and pages', async () => {
  const words = await cli.ok(['audit', 'list', '--license', key]);
  assert.match(words, /license\.create +license:1 +cli +\S+@\S+ +license_key …BBBB, product_id 7/);
  assert.equal(words.trim().split('\n').length, 2);
  assert.doesNotMatch(words, new RegExp(key));
  assert.equal(await cli.ok(['audit', 'list', '--subject', 'license:1']), words);
  const { entries, next_before } = await cli.json(['audit', 'list', '--limit', '2']);
  assert.equal(next_before, entries[1].id);
  const rest = await cli.json(['audit', 'list', '--before', String(next_before)]);
  assert.equal(rest.entries.length, 4);
  const some = await cli.json(['audit', 'list', '--action', 'api_key.create,api_key.revoke', '--user', '1']);
  assert.equal(some.entries.length, 2);
  assert.equal(await cli.ok(['audit', 'list', '--api-key', '99']), 'No entries.\n');
});

test('show prints every value of one entry', async () => {
  const { entries } = await cli.json(['audit', 'list', '--action', 'license.create']);
  const words = await cli.ok(['audit', 'show', String(entries[0].id)]);
  assert.match(words, /^Subject +license:1$/m);
  assert.match(words, /^product_id +- +7$/m);
  assert.match(words, /^status +- +active$/m);
  assert.deepEqual(await cli.json(['audit', 'show', String(entries[0].id)]), entries[0]);
});

test('bad values are refused by the names of their flags', async () => {
  for (const [args, flag] of [
    [['list', '--action', 'nothing'], '--action'],
    [['list', '--subject', 'license'], '--subject'],
    [['list', '--limit', '0'], '--limit'],
    [['list', '--license', key, '--subject', 'license:1'], '--subject'],
    [['verify', '--head', '12'], '--head'],
    [['counts', '--from', 'x'], '--from'],
  ] as const) {
    assert.match(await cli.fails(2, ['audit', ...args]), new RegExp(`error: ${flag} `));
  }
  assert.match(await cli.fails(1, ['audit', 'list', '--license', 'NONE']), /no license "NONE"/);
  assert.match(await cli.fails(1, ['audit', 'show', '999']), /no entry "999"/);
  assert.equal(await cli.ok(['audit', 'counts']), 'No counts.\n');
});

test('verify prints the head, compares it with a noted one, and finds tampering', async () => {
  const { ok, head, checked, faults } = await cli.json(['audit', 'verify']);
  assert.deepEqual([ok, checked, faults], [true, 6, []]);
  assert.match(head, /^6:[0-9a-f]{64}$/);
  assert.equal(
    await cli.ok(['audit', 'verify', '--head', head]),
    `No faults: 6 entries in the chain.\nhead  ${head}\n`,
  );
  const other = await cli.run(['audit', 'verify', '--head', `6:${'0'.repeat(64)}`]);
  assert.deepEqual([other.code, other.stderr], [1, '']);
  assert.match(other.stdout, /^fault {2}the head 6:0+ that was noted is not in the chain$/m);
  assert.match(
    (await cli.run(['doctor'])).stdout,
    /^ok +Audit trail +ends at position 6; the last 6 entries are intact$/m,
  );

  await tamper(cli.dataDir, 'update audit_entries set user_id = 9 where id = 2');
  const found = await cli.run(['audit', 'verify']);
  assert.equal(found.code, 1);
  assert.match(found.stdout, /^fault {2}entry 2 was changed\n\n1 fault\.\nhead {2}6:/);
  const inJson = JSON.parse((await cli.run(['audit', 'verify', '--json'])).stdout);
  assert.deepEqual(inJson.faults, [
    { kind: 'entry_changed', position: 2, entry_id: 2, message: 'entry 2 was changed' },
  ]);
  const doctor = await cli.run(['doctor']);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /^fail +Audit trail +entry 2 was changed/m);
});

test('what commands do to seats is counted', async (t) => {
  const api = await startService(t, { dataDir: cli.dataDir });
  const { id } = await api.activation(key);
  await cli.ok(['activation', 'deactivate', String(id)]);
  const { counts }: { counts: Record_[] } = await cli.json(['audit', 'counts']);
  assert.equal(counts.find(({ counted }) => counted === 'deactivations')?.count, 1);
});
