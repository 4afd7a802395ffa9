import assert from 'node:assert/strict';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import { chainEntries, REACH } from '../../../src/app/audit/audit-chain.ts';
import { SETTINGS } from '../../../src/config/config.ts';
import { signedIn } from '../../support/console/console.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const SECRET = {
  ...makeCredentials(),
  masterKey: new Uint8Array(32).fill(171),
  nextMasterKey: new Uint8Array(32).fill(205),
  moveTo: 'postgres://somebody:a-third-password@new.example.test:5432/latchkey',
  s3AccessKeyId: 'access-key-of-nobody',
  s3SecretAccessKey: 'secret-key-of-nobody',
  databaseUrl: 'postgres://somebody:a-password@db.example.test:5432/latchkey?password=a-second-one',
  databaseReplicaUrl: 'postgres://somebody:a-password@copy.example.test:5432/latchkey',
};
const api = await startService(
  { after },
  { settings: { ...SECRET, logLevel: 'debug', trustProxy: true, backupKeep: 7 } },
);

test('the answer lists every setting, with its value unless it is secret', async () => {
  const owner = await signedIn(api, 'owner');
  const answer = await owner.ok('GET', '/settings');
  const settings = new Map<string, Record_>(answer.settings.map((one: Record_) => [one.variable, one]));
  assert.deepEqual(
    [...settings.keys()],
    Object.values(SETTINGS).map(({ env }) => env),
  );
  const of = (name: string) => {
    const { is_set, is_secret, value } = settings.get(`LATCHKEY_${name}`) as Record_;
    return [is_set, is_secret, value];
  };
  assert.deepEqual(of('PORT'), [false, false, '8080']);
  assert.deepEqual(of('LOG_LEVEL'), [true, false, 'debug']);
  // Set, although to its default.
  assert.deepEqual(of('BACKUP_KEEP'), [true, false, '7']);
  assert.deepEqual(of('TRUST_PROXY'), [true, false, 'yes']);
  assert.deepEqual(of('BASE_URL'), [false, false, null]);
  for (const [name, { env, ...about }] of Object.entries(SETTINGS))
    if ('secret' in about) assert.deepEqual(of(env.slice(9)), [name in SECRET, true, null], env);
  for (const { variable, flag, is_secret } of settings.values())
    assert.equal(flag !== null, !is_secret, `${variable}: secrets have no flag, and ${flag} is shown`);

  const text = JSON.stringify(answer).toLowerCase();
  for (const value of Object.values(SECRET)) {
    const secret = typeof value === 'string' ? value : Buffer.from(value).toString('hex');
    assert.ok(!text.includes(secret.toLowerCase()));
  }
  for (const part of ['a-password', 'a-second-one', 'somebody', '171,171'])
    assert.ok(!text.includes(part), part);
  assert.deepEqual([answer.database.kind, typeof answer.database.place], ['postgres', 'string']);
  assert.deepEqual(answer.storage, { kind: 'folder', place: api.dataDir });
  assert.match(answer.master_key.fingerprint, /^[0-9a-f]{32}$/);
  assert.equal(answer.backups.newest, null);
  // On PostgreSQL another node may make the backups.
  assert.deepEqual(
    answer.health.map((one: Record_) => one.check),
    ['database', 'disk', 'audit'],
  );
  assert.match(answer.started_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
});

for (const role of ['support', 'viewer'] as const)
  test(`${role} cannot see the settings`, async () => {
    assert.equal((await (await signedIn(api, role)).get('/settings')).status, 403);
  });

test('the answer shows the health of the database, the disk, the backups and the audit trail', async (t) => {
  const clock = Date.now() - 2 * 60_000;
  const backupDir = temporaryFolder();
  const old = await startService(t, { clock: () => clock, settings: { backupDir, backupHours: 6 } });
  const owner = await signedIn(old, 'owner');
  const health = async () =>
    Object.fromEntries((await owner.ok('GET', '/settings')).health.map((one: Record_) => [one.check, one]));
  // Nothing chains the audit trail in this test, and its entries are two minutes old.
  const found = await health();
  assert.deepEqual(Object.keys(found), ['database', 'disk', 'backups', 'audit']);
  assert.ok(found.database.is_good);
  assert.ok(found.disk.amount > 0);
  assert.deepEqual([found.backups.is_good, found.backups.amount], [false, null]);
  assert.equal(found.audit.is_good, false);

  await chainEntries(old.service, REACH.often);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const archiveOf = (at: string) => `latchkey-${at.slice(0, 19).replace(/[-:]/g, '')}Z.tar`;
  writeFileSync(join(backupDir, archiveOf(hoursAgo(13))), '');
  const late = await health();
  assert.equal(late.audit.is_good, true);
  assert.deepEqual([late.backups.is_good, Math.round(late.backups.amount)], [false, 13]);
  writeFileSync(join(backupDir, archiveOf(hoursAgo(2))), '');
  assert.equal((await health()).backups.is_good, true);
});

test('an owner can make a backup, and gets the reason if the backup fails', async (t) => {
  const backupDir = join(temporaryFolder(), 'backups');
  const one = await startService(t, { settings: { backupDir } });
  const [owner, manager] = [await signedIn(one, 'owner'), await signedIn(one, 'manager')];
  assert.equal((await manager.post('/backups')).status, 403);
  const backUp = async () => {
    const lines = String((await owner.post('/backups')).body)
      .trimEnd()
      .split('\n');
    return JSON.parse(lines.at(-1) as string).result;
  };
  const { file, bytes, problem } = await backUp();
  assert.deepEqual([problem, dirname(file), statSync(file).size], [null, backupDir, bytes]);
  const { newest } = (await owner.ok('GET', '/settings')).backups;
  assert.equal(newest.bytes, bytes);

  rmSync(backupDir, { recursive: true });
  writeFileSync(backupDir, 'no folder');
  assert.match((await backUp()).problem, /\S/);
});
