import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { License } from '../../src/domain/licenses/license.ts';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';
import { postgresQueries } from '../../src/store/postgres/queries.ts';
import { preparePostgres } from '../../src/store/postgres/store.ts';
import type { Connection } from '../../src/store/sql/statement.ts';
import type { Transaction } from '../../src/store/store.ts';
import { behind, FILTERS, first, page } from '../support/list-filters.ts';
import { serverOfFile } from '../support/postgres/cluster.ts';

const NOW = '2026-11-22 00:00:00';

const server = await serverOfFile();
const masterKey = new Uint8Array(32).fill(7);
const url = server.url('postgres');
await preparePostgres({ url, masterKey, connections: 1, pooler: false, patience: 1_000, version: '1' });

/** Returns the plans of PostgreSQL for each statement of a call, with sequential scans as the last resort. */
async function planOf(call: (transaction: Transaction) => Promise<unknown>): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  const steps: string[] = [];
  const explaining: Connection = {
    async execute(sql, parameters) {
      const { rows } = await client.query(`explain ${sql}`, [...parameters]);
      steps.push(...rows.map((row) => String(row['QUERY PLAN'])));
      return { rows: [{ id: 1, total: 1_000_000, times_activated: 1 }], affected: 1 };
    },
  };
  try {
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
    await call(postgresQueries(createKeyring(firstBundle(masterKey)))(explaining));
  } catch (error) {
    // The stub row is no license. At this point, every statement has been explained.
    if (error instanceof pg.DatabaseError) throw error;
  } finally {
    await client.end();
  }
  return steps.join('\n');
}

const license = { id: 1, key: 'K', status: 3, expiresAt: null } as License;
const row = {
  licenseId: 1,
  softwareId: null,
  token: 'T',
  label: null,
  source: 2 as const,
  ipAddress: null,
  userAgent: null,
  meta: null,
  createdAt: '2026-01-01 00:00:00',
};

const NO_FILTER = { action: null, apiKeyId: null, userId: null, from: null, to: null };
const day = { from: '2026-01-01 00:00:00', before: '2026-01-02 00:00:00' };
const searched = { before: null, limit: 10, counted: false };
const ids = { above: 5, upTo: 5_000, limit: 10 };

/** For each look-up: the call, and the index that its plan must use. */
const LOOK_UPS: Record<string, [call: (t: Transaction) => Promise<unknown>, index: RegExp]> = {
  'a license by key': [(t) => t.licenses.find({ key: 'K' }), /licenses_by_key_hash/],
  'a license with its activations': [
    (t) => t.licenses.findWithActivations({ key: 'K' }),
    /activations_valid/,
  ],
  'the oldest deactivated activations': [
    (t) => t.activations.forget(1, 10, 10, '2026-01-01 00:00:00'),
    /activations_deactivated/,
  ],
  'deactivated activations to delete': [
    (t) => t.activations.discard([1], 10, NOW),
    /activations_deactivated/,
  ],
  'activations to delete': [(t) => t.activations.discard([1], 10, NOW), /activations_by_license/],
  'an activation by token': [(t) => t.activations.findByToken('T'), /activations_by_token/],
  'the license of an activation': [(t) => t.activations.findByToken('T'), /licenses_pkey/],
  activating: [(t) => t.activations.insertWithSeat(license, row), /licenses_(pkey|by_status)/],
  // On an empty table both indexes cost the same. With a thousand rows, PostgreSQL 18 takes the primary key.
  deactivating: [(t) => t.activations.deactivate(1, '2026-01-01 00:00:00'), /activations_(pkey|valid)/],
  'freeing a seat': [(t) => t.licenses.freeSeat(1), /licenses_pkey/],
  'an API key': [(t) => t.apiKeys.findByHash(new Uint8Array(32)), /api_keys_by_key_hash/],
  'the number of licenses': [(t) => t.licenses.list({}, behind), /record_counts_key/],
  'the newest licenses': [(t) => t.licenses.list({}, first), /Index Scan Backward using licenses_pkey/],
  'licenses after a cursor': [
    (t) => t.licenses.list({}, behind),
    /Limit.*\n\s+->\s+Index Scan Backward using licenses_pkey .*\n\s+Index Cond: \(id <= /,
  ],
  'licenses of a product after a cursor': [
    (t) => t.licenses.list({ productId: 1 }, behind),
    /Limit.*\n\s+->\s+Index Only Scan Backward using licenses_by_product .*\n\s+Index Cond: .*product_id = .* AND \(id <= /,
  ],
  'generators after a cursor': [(t) => t.generators.list(behind), /generators_pkey/],
  'software after a cursor': [(t) => t.software.list(behind, null), /software_pkey/],
  'a walk over all licenses': [(t) => t.licenses.after(5, 10, {}), /licenses_pkey/],
  'licenses of an order': [(t) => t.licenses.list({ orderId: 1 }, page), /licenses_by_order/],
  'licenses of a product': [(t) => t.licenses.list({ productId: 1 }, page), /licenses_by_product/],
  'licenses of a user': [(t) => t.licenses.list({ userId: 1 }, page), /licenses_by_user/],
  'licenses of a status': [(t) => t.licenses.list({ status: [1] }, page), /licenses_by_status/],
  'licenses by the ending of their key': [
    (t) => t.licenses.search({ terms: [{ by: 'ending', ending: 'ABCD' }] }, searched),
    /Index (Only )?Scan Backward using licenses_by_ending .*\n\s+Index Cond: .*ending_hash = .* AND \(id <= /,
  ],
  'licenses by the label of an activation': [
    (t) => t.licenses.search({ terms: [{ by: 'label', prefix: 'a' }] }, searched),
    /Index (Only )?Scan using activations_by_label .*\n\s+Index Cond: .*>= .* < /,
  ],
  'licenses by the email address of their customer': [
    (t) => t.licenses.search({ terms: [{ by: 'email', start: 'a' }] }, searched),
    /Index (Only )?Scan using licenses_by_email .*\n\s+Index Cond: .*>= .* < /,
  ],
  'licenses by the address of an activation': [
    (t) => t.licenses.search({ terms: [{ by: 'address', address: '::1' }] }, searched),
    /Index (Only )?Scan using activations_by_address /,
  ],
  'licenses that expire within a period': [
    (t) => t.licenses.search({ expiry: { from: null, before: '2026-01-01 00:00:00' } }, searched),
    /Index (Only )?Scan using licenses_by_expiry .*\n\s+Index Cond: \(expires_at < /,
  ],
  'licenses without a stored ending': [
    (t) => t.licenses.convert('key_suffixes', 5, 10),
    /licenses_without_ending/,
  ],
  'licenses without a blind index': [(t) => t.licenses.convert('key_indexes', 5, 10), /licenses_with_hash/],
  'plaintext tokens': [(t) => t.licenses.convert('tokens', 5, 10), /activations_with_clear_token/],
  'activations of a license, newest first': [
    (t) => t.activations.search({ licenseId: 1 }, searched),
    /Index (Only )?Scan Backward using activations_by_license .*\n\s+Index Cond: .*license_id = .* AND \(id <= /,
  ],
  'the products of licenses': [
    (t) => t.products.ofLicenses(200),
    // Only the first step: EXPLAIN without ANALYZE leaves out the steps after it.
    /Recursive Union.*\n.*\n.*\n\s+->\s+Limit.*\n\s+->\s+Index Only Scan using licenses_by_product\w* .*\n\s+Index Cond: \(product_id > /,
  ],
  'licenses of a product created on a day': [
    (t) => t.reports.licensesMade(day, null, 7),
    /Index Only Scan using licenses_by_product_and_creation .*\n\s+Index Cond: \(\(product_id = .* AND \(created_at >= .* AND \(created_at < /,
  ],
  'the number of licenses of a product that expire soon': [
    (t) => t.reports.countExpiring(day, 1_001, 7),
    /Index Only Scan using licenses_by_product_and_expiry .*\n\s+Index Cond: \(\(product_id = .* AND \(expires_at >= .* AND \(expires_at < /,
  ],
  'the software names of products': [
    (t) => t.products.names([1, 2]),
    /software_products_by_product.*\n\s+Index Cond: \(product_id = /,
  ],
  'software by slug': [(t) => t.software.findBySlug('s'), /software_by_slug/],
  'a release by version': [(t) => t.releases.findByVersion(1, '1.0'), /releases_by_(version|channel)/],
  'published releases': [(t) => t.releases.published(1, ['stable']), /releases_by_version/],
  'changes of a record': [
    (t) => t.audit.list({ ...NO_FILTER, subject: { type: 'license', id: 1 } }, ids),
    /audit_entries_(by_subject|pkey)/,
  ],
  'changes of all records': [(t) => t.audit.list({ ...NO_FILTER, subject: null }, ids), /audit_entries_pkey/],
  'changes not yet in the audit chain': [(t) => t.audit.unchained(ids), /audit_entries_pkey/],
  'staged keys that are already taken': [
    (t) => t.staged.insert('b', [], '2026-01-01 00:00:00'),
    /licenses_by_key_hash/,
  ],
};

for (const [name, [call, index]] of Object.entries(LOOK_UPS)) {
  test(`PostgreSQL uses an index for ${name}`, async () => {
    const plan = await planOf(call);
    assert.match(plan, index);
    assert.doesNotMatch(plan, /Seq Scan on (licenses|activations|api_keys|record_counts|audit_entries)\b/);
  });
}

for (const [name, filter] of Object.entries(FILTERS)) {
  test(`PostgreSQL counts licenses of a ${name} in an index alone`, async () => {
    const plan = await planOf((t) => t.licenses.list(filter, first));
    const index =
      name === 'key' ? /Index (Only )?Scan using licenses_by_key_hash/ : /Index Only Scan using licenses_by_/;
    assert.match(plan, index);
    assert.match(plan, /^Aggregate/);
  });
}
