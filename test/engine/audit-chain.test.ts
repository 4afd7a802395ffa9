import assert from 'node:assert/strict';
import { after, beforeEach, suite, test } from 'node:test';
import {
  type AuditFault,
  chainEntries,
  REACH,
  verifyAudit,
  verifyEnd,
} from '../../src/app/audit/audit-chain.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { headText } from '../../src/domain/audit.ts';
import { tamper, verified } from '../support/audit.ts';
import { ENGINE, numberOf, rowsOf, runSql } from '../support/engine.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
for (let i = 0; i < 7; i++) await api.license();
assert.deepEqual((await verified(api.service)).faults, []);
const SAVED = ['audit_entries', 'audit_chain', 'meta'];
for (const table of SAVED) await runSql(api.dataDir, `create table saved_${table} as select * from ${table}`);
const [RESTORED, NEXT_ID] =
  ENGINE === 'sqlite'
    ? ['', "update sqlite_sequence set seq = 10 where name = 'audit_entries'"]
    : ['overriding system value', "select setval(pg_get_serial_sequence('audit_entries', 'id'), 10)"];

/** Restores a trail of 10 chained entries. */
async function restoreTrail(): Promise<void> {
  for (const table of SAVED) {
    await tamper(api.dataDir, `delete from ${table}`);
    await runSql(api.dataDir, `insert into ${table} ${RESTORED} select * from saved_${table}`);
  }
  await runSql(api.dataDir, NEXT_ID);
}
beforeEach(restoreTrail);
const brief = (faults: readonly AuditFault[]) =>
  faults.map(({ kind, position, entryId }) => [kind, position, entryId]);

test('every entry gets one place, in the order of ids, over any number of commands', async () => {
  const copied = `insert into audit_entries (at, action, user_id, via, subject_type, details, mac)
    select at, action, user_id, via, subject_type, details, mac from audit_entries`;
  for (let i = 0; i < 7; i++) await runSql(api.dataDir, copied);
  await chainEntries(api.service, REACH.often);
  const rows = await rowsOf(api.dataDir, 'select position, entry_id from audit_chain order by position');
  const ids = await rowsOf(api.dataDir, 'select id from audit_entries order by id');
  assert.ok(rows.length > 1_000);
  assert.deepEqual(
    rows.map(({ position, entry_id }) => [position, entry_id]),
    ids.map(({ id }, i) => [i + 1, id]),
  );
});

test('an entry committed after higher ids follows them in the chain', async () => {
  const first = 'select min(id) from audit_entries';
  const late = await numberOf(api.dataDir, first);
  await tamper(api.dataDir, "delete from audit_chain; delete from meta where name = 'audit_head'");
  // Simulate an entry that is not committed yet.
  await runSql(api.dataDir, `create table held as select * from audit_entries where id = ${late}`);
  await runSql(api.dataDir, `delete from audit_entries where id = ${late}`);
  await chainEntries(api.service, REACH.often);
  await runSql(api.dataDir, 'insert into audit_entries select * from held');
  const { faults, head } = await verified(api.service);
  assert.deepEqual(faults, []);
  const last = await rowsOf(api.dataDir, 'select entry_id from audit_chain order by position desc limit 1');
  assert.deepEqual([last[0]?.entry_id, head?.position], [late, 10]);
});

test('concurrent commands do not fork the chain, and each entry gets one place', async () => {
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      await api.license();
      if (i % 3 === 0) await chainEntries(api.service, REACH.often);
    }),
  );
  const { faults, head, checked } = await verified(api.service);
  assert.deepEqual(faults, []);
  assert.equal(checked, await numberOf(api.dataDir, 'select count(*) from audit_entries'));
  assert.equal(head?.position, checked);
});

const TAMPERING: Record<string, [sql: string, faults: unknown[][]]> = {
  'a changed entry': [
    "update audit_entries set origin = '198.51.100.1' where id = 5",
    [['entry_changed', 5, 5]],
  ],
  'a changed time': [
    "update audit_entries set at = '2020-01-01 00:00:00' where id = 5",
    [['entry_changed', 5, 5]],
  ],
  'a removed entry': ['delete from audit_entries where id = 5', [['entry_missing', 5, 5]]],
  'an entry removed with its place': [
    'delete from audit_entries where id = 5; delete from audit_chain where entry_id = 5',
    [['gap', 5, null]],
  ],
  'several removed entries, with the later places moved up': [
    `delete from audit_entries where id in (5, 6); delete from audit_chain where entry_id in (5, 6);
     update audit_chain set position = position + 1000 where position > 6;
     update audit_chain set position = position - 1002 where position > 1000`,
    [
      ['wrong_hash', 5, 7],
      ['wrong_hash', 6, 8],
      ['wrong_hash', 7, 9],
      ['wrong_hash', 8, 10],
      ['head', 10, null],
    ],
  ],
  'two swapped entries': [
    `update audit_chain set entry_id = -5 where entry_id = 5; update audit_chain set entry_id = 5 where entry_id = 6;
     update audit_chain set entry_id = 6 where entry_id = -5`,
    [
      ['wrong_hash', 5, 6],
      ['wrong_hash', 6, 5],
    ],
  ],
  'the content of another entry in its place': [
    `update audit_entries set details = (select details from audit_entries where id = 6),
       subject_id = (select subject_id from audit_entries where id = 6),
       at = (select at from audit_entries where id = 6), mac = (select mac from audit_entries where id = 6)
     where id = 5`,
    [
      ['wrong_hash', 5, 5],
      ['entry_copied', null, 6],
    ],
  ],
  'a removed end': [
    'delete from audit_entries where id > 7; delete from audit_chain where entry_id > 7',
    [['head', 10, null]],
  ],
  'a removed end, with the record of the head': [
    `delete from audit_entries where id > 7; delete from audit_chain where entry_id > 7;
     delete from meta where name = 'audit_head'`,
    [['head', 7, null]],
  ],
  'a forged record of the head': [
    "update meta set value = replace(value, '10:', '9:') where name = 'audit_head'",
    [['head', 10, null]],
  ],
  'a forged entry': [
    `insert into audit_entries (at, action, user_id, via, subject_type, details, mac)
     select at, 'license.delete', user_id, via, subject_type, details, mac from audit_entries where id = 5`,
    [
      ['entry_changed', 11, 11],
      ['entry_copied', null, 11],
    ],
  ],
  'a duplicated entry': [
    `insert into audit_entries (at, action, user_id, via, origin, api_key_id, subject_type, subject_id, details, mac)
     select at, action, user_id, via, origin, api_key_id, subject_type, subject_id, details, mac
     from audit_entries where id = 5`,
    [['entry_copied', null, 11]],
  ],
  'an entry with an id far above all others': [
    `insert into audit_entries (id, at, action, user_id, via, subject_type, details, mac)
     ${ENGINE === 'sqlite' ? '' : 'overriding system value'}
     select 9007199254740000, at, action, user_id, via, subject_type, details, mac from audit_entries where id = 5`,
    [
      ['entry_changed', 11, 9007199254740000],
      ['entry_copied', null, 9007199254740000],
    ],
  ],
  'a removed chain, with all entries': [
    "delete from audit_chain; delete from audit_entries; delete from meta where name = 'audit_head'",
    [],
  ],
};

suite('verify finds', () => {
  for (const [what, [sql, expected]] of Object.entries(TAMPERING)) {
    test(what, async () => {
      const { head } = await verifyAudit(api.service);
      assert.equal(head?.position, 10);
      for (const one of sql.split(';')) await tamper(api.dataDir, one);
      const { faults } = await verified(api.service);
      assert.deepEqual(brief(faults), expected, JSON.stringify(faults));
      // Entries chained afterwards do not hide the fault.
      await api.license();
      const later = await verified(api.service);
      assert.equal(later.faults.length > 0, expected.length > 0, 'with a later entry');
      // Tampering that leaves no other fault is found by a head noted before.
      if (expected.length > 0) return;
      const against = await verified(api.service, head);
      assert.deepEqual(brief(against.faults), [['head', 10, null]]);
      assert.match(against.faults[0]?.message ?? '', new RegExp(headText(head)));
    });
  }

  test('an entry without a place for over a minute, on a server that chains no entries', async (t) => {
    let now = Date.now();
    const api = await startService(t, { clock: () => now });
    await verified(api.service);
    await api.license();
    assert.deepEqual((await verifyAudit(api.service)).faults, []);
    now += 61_000;
    assert.deepEqual(brief((await verifyAudit(api.service)).faults), [['not_in_chain', null, 4]]);
    assert.deepEqual((await verified(api.service)).faults, []);
  });
});

test('the other entries can be read if one is unreadable', async () => {
  await tamper(api.dataDir, "update audit_entries set details = '{' where id = 5");
  await tamper(api.dataDir, "update audit_entries set details = 'null' where id = 6");
  const entries: { id: number; about: object | null }[] = await api.ok('GET', '/audit');
  const damaged = entries.filter(({ about }) => about && 'unreadable' in about);
  assert.deepEqual([damaged.map(({ id }) => id), entries.length], [[6, 5], 10]);
});

test('a noted head is found anywhere in the chain', async () => {
  const { head } = await verifyAudit(api.service);
  await api.license();
  assert.deepEqual((await verified(api.service, head)).faults, []);
  const other = { position: head?.position ?? 0, hash: '0'.repeat(64) };
  assert.deepEqual(brief((await verified(api.service, other)).faults), [['head', other.position, null]]);
});

test('verifyEnd checks only the end', async () => {
  await tamper(api.dataDir, "update audit_entries set via = 'cli' where id = 5");
  const all = await verifyEnd(api.service.store.read.audit, 1_000);
  assert.deepEqual([all.checked, brief(all.faults)], [10, [['entry_changed', 5, 5]]]);
  const some = await verifyEnd(api.service.store.read.audit, 4);
  assert.deepEqual([some.checked, some.faults, some.head?.position], [4, [], 10]);
});

test('verify finds no fault during concurrent changes', async () => {
  let isOver = false;
  const busy = (async () => {
    while (!isOver) {
      await api.license();
      await api.service.execute('chain-audit-entries', { reach: 100 }, SYSTEM);
    }
  })();
  for (let i = 0; i < 10; i++) assert.deepEqual((await verified(api.service)).faults, []);
  isOver = true;
  await busy;
});
