import assert from 'node:assert/strict';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, test } from 'node:test';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';
import { queries } from '../../src/store/sql/index.ts';
import type { Connection } from '../../src/store/sql/statement.ts';
import { SqliteConnection, sqliteEngine } from '../../src/store/sqlite/connection.ts';
import { prepareSqlite } from '../../src/store/sqlite/store.ts';
import type { Transaction } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { FILTERS, first, page } from '../support/list-filters.ts';
import { LOOK_UPS, NOW, SORTED } from './look-ups.ts';

const masterKey = new Uint8Array(32).fill(7);
/** An empty database with the real schema. */
const file = `${temporaryFolder()}/latchkey.db`;
await prepareSqlite({ file, masterKey, patience: 1000, version: '1' });
const database = new DatabaseSync(file);
after(() => database.close());

/**
 * Returns the steps that SQLite would take for each statement of a call.
 * @param found the number of rows that each statement finds
 */
async function plansOf(call: (transaction: Transaction) => Promise<unknown>, found = 1): Promise<string[]> {
  const steps: string[] = [];
  const explaining: Connection = {
    async execute(sql, parameters) {
      const values = parameters as SQLInputValue[];
      for (const { detail } of database.prepare(`explain query plan ${sql}`).all(...values))
        steps.push(String(detail));
      const row = { id: 1, total: 1_000_000, times_activated: 1 };
      return { rows: Array.from({ length: found }, () => row), affected: 1 };
    },
  };
  try {
    await call(queries(sqliteEngine, createKeyring(firstBundle(masterKey)))(explaining));
  } catch {
    // The invented row is not a license. By then every statement is explained.
  }
  return steps;
}

const SCANS =
  /\bSCAN (licenses|activations|api_keys|users|software|releases|generators|record_counts|audit_entries|audit_chain)\b(?! USING COVERING)/;

for (const [name, [call, index]] of Object.entries(LOOK_UPS)) {
  test(`${name}: an index finds the rows, with no scan${SORTED.includes(name) ? '' : ' and no sort'}`, async () => {
    const steps = await plansOf(call);
    // The products of one software may be sorted.
    const found = steps.filter((step) => !step.endsWith('FOR string_agg(ORDER BY)')).join('\n');
    // A window of rows has the name of its table. A scan of the window is not a scan of the table.
    const plan = found.replace(/^CO-ROUTINE (\w+)\n((?:.*\n)*?)SCAN \1$/gm, '$2');
    assert.ok(!SCANS.test(plan), plan);
    if (!SORTED.includes(name)) assert.ok(!plan.includes('TEMP B-TREE'), plan);
    assert.match(plan, index);
  });
}

for (const [name, filter] of Object.entries({
  'several statuses': { status: [1, 2] },
  'several products': { products: [1, 2] },
})) {
  test(`a page of ${name} is found in an index alone, before any record is read`, async () => {
    const plan = (await plansOf((t) => t.licenses.list(filter, page))).join('\n');
    assert.match(plan, /USING COVERING INDEX licenses_by_/);
    assert.ok(!/SCAN licenses\b(?! USING COVERING)/.test(plan), plan);
  });
}

for (const [name, filter] of Object.entries(FILTERS)) {
  test(`licenses with a ${name} are counted in an index alone`, async () => {
    const [count = ''] = await plansOf((t) => t.licenses.list(filter, first));
    assert.match(count, /^SEARCH licenses USING (COVERING INDEX licenses_by_|INTEGER PRIMARY KEY)/);
  });
}

for (const [name, filter] of Object.entries({
  'a product and a status': { productId: 1, status: [3] },
  'some products, a source and a status': { products: [1, 2], source: 2, status: [3] },
})) {
  test(`licenses of ${name} are counted in indexes alone`, async () => {
    const [count = ''] = await plansOf((t) => t.licenses.list(filter, first));
    for (const step of count.split('\n')) assert.match(step, /USING COVERING INDEX licenses_by_/);
  });
}

for (const [name, call] of Object.entries<(t: Transaction) => Promise<unknown>>({
  committing: (t) => t.staged.commit('b', { source: 2, createdAt: NOW, createdBy: 1 }),
  'finding repeated keys': (t) => t.staged.repeated('b'),
  discarding: (t) => t.staged.discard({ batch: 'b' }, 10),
})) {
  test(`${name} reads the rows of its own batch only`, async () => {
    const plan = (await plansOf(call)).join('\n');
    assert.match(plan, /SEARCH staged_licenses USING .*\(batch=\?/);
    assert.ok(!plan.includes('SCAN staged_licenses'), plan);
  });
}

test('one statement finds or inserts an artifact and locks its row', async () => {
  const connection = new SqliteConnection(file, { readOnly: false, timeout: 1000 });
  const statements: string[] = [];
  const { artifacts } = queries(
    sqliteEngine,
    createKeyring(firstBundle(masterKey)),
  )({
    execute(sql, parameters) {
      statements.push(sql);
      return connection.execute(sql, parameters);
    },
  });
  const bytes = { size: 5, sha256: 'ab', sha512: 'cd', createdAt: NOW };
  const first = { id: 1, size: 5, sha256: 'ab', sha512: 'cd', key: 'ab/1' };
  assert.deepEqual({ ...(await artifacts.findOrInsert({ ...bytes, key: 'ab/1' })) }, first);
  assert.deepEqual({ ...(await artifacts.findOrInsert({ ...bytes, key: 'ab/2' })) }, first);
  connection.close();
  assert.equal(statements.length, 2);
  // `do nothing` locks no row on PostgreSQL.
  for (const sql of statements) assert.match(sql, /on conflict .* do update set .* returning/);
});

test('if very many licenses have one email address, the index finds the newest', async () => {
  const search = { terms: [{ by: 'email', start: 'a@example.com' }] } as const;
  const page = { before: null, limit: 10, counted: false };
  const plan = (await plansOf((t) => t.licenses.search(search, page), 10_001)).join('\n');
  assert.match(plan, /SEARCH licenses USING COVERING INDEX licenses_by_email \(<expr>=\? AND id<\?\)/);
});

test('the list of all licenses follows the primary key, without a sort', async () => {
  const plan = (await plansOf((t) => t.licenses.list({}, page))).join('\n');
  assert.ok(!plan.includes('TEMP B-TREE'), plan);
});
