import assert from 'node:assert/strict';
import type { Keyring } from '../../src/store/keys/keyring.ts';
import { WRONG_COUNTS } from '../support/faults/integrity.ts';
import type { Installation } from './installation.ts';
import {
  allLicenses,
  allOf,
  BATCH_ORDERS,
  type Journal,
  type License,
  type LicenseState,
  type Tracked,
} from './journal.ts';
import type { Tally } from './tally.ts';

type Row = Record<string, unknown>;
const COUNTED = ['licenses', 'generators', 'software'];

/**
 * Compares the journal with the database. The database must have nothing else, nothing twice and nothing half
 * done. Afterwards the journal also knows the state of each record whose last change was not answered.
 * @throws AssertionError
 */
export async function verifyDatabase(
  installation: Installation,
  journal: Journal,
  tally: Tally,
): Promise<void> {
  await verifyLicenses(installation, journal, tally);
  await verifyBatches(installation, journal, tally);
  await verifyGenerators(installation, journal, tally);
  await verifyReleases(installation, journal, tally);
  for (const table of COUNTED) {
    const [row] = await installation.rows(
      `select (select count(*) from ${table}) as there,
         (select coalesce(sum(records), 0) from record_counts where counted = '${table}') as counted`,
    );
    assert.equal(Number(row?.counted), Number(row?.there), `the total of ${table}`);
  }
  const [wrong] = await installation.rows(WRONG_COUNTS.replace('::int', ''));
  assert.equal(Number(Object.values(wrong ?? {})[0]), 0, 'licenses with a wrong count or above their limit');
}

/** Sets the state of a record to the one found. @throws AssertionError if the journal does not allow it */
function settle<State>(record: Tracked<State>, found: State | null, what: string, tally: Tally): void {
  const texts = record.possible.map((one) => JSON.stringify(one));
  assert.ok(texts.includes(JSON.stringify(found)), `${what} is ${JSON.stringify(found)}, not ${texts}`);
  if (texts.length > 1)
    tally.compared(`change in doubt, ${texts[0] === JSON.stringify(found) ? 'not done' : 'done'}`, 1);
  record.possible = [found];
}

async function verifyLicenses({ rows, keyring }: Installation, journal: Journal, tally: Tally) {
  const keys = await keyring();
  const found = await rows(
    `select id, key_hash, order_id, user_id, activations_limit, times_activated from licenses
     where order_id is null or order_id < ${BATCH_ORDERS}`,
  );
  const byHash = new Map(found.map((row) => [hex(row.key_hash), row]));
  const activations = Map.groupBy(
    (await rows('select license_id, token, sealed_token, deactivated_at from activations')).map((row) => ({
      ...row,
      token: keys.open(row.sealed_token as Uint8Array, Buffer.from(row.token as string)),
    })) as Row[],
    ({ license_id }) => Number(license_id),
  );
  for (const license of allLicenses(journal)) {
    const row = takeRow(license, byHash, (key) => indexOf(keys, key));
    const ofLicense = activations.get(Number(row?.row.id)) ?? [];
    activations.delete(Number(row?.row.id));
    settle(license, row?.state ?? null, `license ${row?.state.key ?? license.possible[0]?.key}`, tally);
    if (row) verifyActivations(license, row.row, ofLicense, tally);
    else license.activations = [];
    license.unanswered = 0;
    tally.compared('licenses', 1);
    tally.compared('activations', license.activations.length);
  }
  const unknown = [...byHash.values()].map(({ id }) => id);
  assert.deepEqual(unknown, [], 'ids of licenses that nobody requested');
  assert.equal(activations.size, 0, 'activations of missing licenses');
  for (const belongings of journal.clients)
    belongings.licenses = belongings.licenses.filter(({ possible }) => possible[0] !== null);
}

/** Returns the only row that a license has under any of its keys, and removes it from `byHash`. */
function takeRow(
  license: License,
  byHash: Map<string, Row>,
  hashOf: (key: string) => string,
): { row: Row; state: LicenseState } | null {
  const keys = [...new Set(license.possible.flatMap((one) => one?.key ?? []))];
  const there = keys.flatMap((key) => {
    const row = byHash.get(hashOf(key));
    return row ? [{ key, row }] : [];
  });
  assert.ok(there.length <= 1, `a license has rows under several keys: ${there.map(({ key }) => key)}`);
  const [one] = there;
  if (!one) return null;
  byHash.delete(hashOf(one.key));
  const { order_id, user_id, activations_limit } = one.row;
  const state = {
    key: one.key,
    orderId: Number(order_id),
    userId: Number(user_id),
    limit: Number(activations_limit),
  };
  return { row: one.row, state };
}

function verifyActivations(license: License, row: Row, rows: readonly Row[], tally: Tally): void {
  const key = license.possible[0]?.key;
  const byToken = new Map(rows.map((one) => [one.token as string, one]));
  const stateOf = (one: Row | undefined) =>
    one === undefined ? null : one.deactivated_at === null ? ('valid' as const) : ('ended' as const);
  for (const activation of license.activations) {
    const found = byToken.get(activation.token);
    settle(activation, stateOf(found), `activation ${activation.token} of ${key}`, tally);
    byToken.delete(activation.token);
  }
  assert.ok(
    byToken.size <= license.unanswered,
    `license ${key} has ${byToken.size} unanswered activations, but only ${license.unanswered} were requested`,
  );
  if (byToken.size > 0) tally.compared('activation in doubt, done', byToken.size);
  for (const [token, found] of byToken)
    license.activations.push({ token, client: 0, possible: [stateOf(found)] });
  const valid = license.activations.filter(({ possible }) => possible[0] === 'valid').length;
  const limit = Number(row.activations_limit);
  assert.equal(Number(row.times_activated), valid, `times_activated of ${key}`);
  assert.ok(limit === 0 || valid <= limit, `${key} has ${valid} activations, of ${limit} allowed`);
}

async function verifyBatches({ rows, keyring }: Installation, journal: Journal, tally: Tally) {
  const found = await rows(
    `select order_id, count(*) as licenses from licenses where order_id >= ${BATCH_ORDERS} group by order_id`,
  );
  const sizes = new Map(found.map((row) => [Number(row.order_id), Number(row.licenses)]));
  const keys = await keyring();
  for (const batch of journal.batches) {
    const size = sizes.get(batch.orderId) ?? null;
    settle(batch, size, `the batch of order ${batch.orderId}`, tally);
    sizes.delete(batch.orderId);
    tally.compared('licenses of batches', size ?? 0);
    if (batch.keys === null) continue;
    const stored = await rows(`select key_hash from licenses where order_id = ${batch.orderId}`);
    const hashes = stored.map((row) => hex(row.key_hash)).sort();
    assert.deepEqual(hashes, batch.keys.map((key) => indexOf(keys, key)).sort(), `keys of ${batch.orderId}`);
    // From now on, only the number of licenses is compared.
    batch.keys = null;
  }
  assert.deepEqual([...sizes], [], 'batches that nobody requested');
}

async function verifyGenerators({ rows }: Installation, journal: Journal, tally: Tally) {
  const found = new Map(
    (await rows('select id, name from generators')).map((row) => [String(row.name), Number(row.id)]),
  );
  for (const generator of allOf(journal, 'generators')) {
    const id = found.get(generator.name) ?? null;
    settle(generator, id === null ? null : 'there', `generator ${generator.name}`, tally);
    if (generator.id !== null) assert.equal(id, generator.id);
    generator.id = id;
    found.delete(generator.name);
    tally.compared('generators', 1);
  }
  assert.deepEqual([...found], [], 'generators that nobody requested, or duplicates');
}

async function verifyReleases(installation: Installation, journal: Journal, tally: Tally) {
  // A service whose database is gone sends files without a record, and says so.
  let unrecorded = installation.output().split('a download is not recorded').length - 1;
  const found = await installation.rows(
    `select releases.id, slug, sha256, size,
       (select coalesce(sum(downloads), 0) from download_counts where release_id = releases.id) as downloads
     from releases join software on software.id = software_id left join artifacts on artifacts.id = artifact_id`,
  );
  const bySlug = new Map(found.map((row) => [String(row.slug), row]));
  for (const release of allOf(journal, 'releases')) {
    const row = bySlug.get(release.slug);
    const state = row ? { sha256: String(row.sha256), size: Number(row.size) } : null;
    settle(release, state, `release of ${release.slug}`, tally);
    bySlug.delete(release.slug);
    tally.compared('releases', 1);
    if (!row) continue;
    release.id = Number(row.id);
    const { answered, asked } = release.downloads;
    const counted = Number(row.downloads);
    unrecorded -= Math.max(0, answered - counted);
    assert.ok(
      unrecorded >= 0 && counted <= asked,
      `${counted} downloads of ${release.slug} are counted, but ${answered} to ${asked} were made`,
    );
    release.downloads = { answered: counted, asked: counted };
  }
  assert.deepEqual([...bySlug.keys()], [], 'releases that nobody requested');
  for (const belongings of journal.clients)
    belongings.releases = belongings.releases.filter(({ possible }) => possible[0] !== null);
}

/** Returns the blind index of a license key, in hex. */
const indexOf = ({ hash, keyIndex }: Keyring, key: string): string => hex(keyIndex(hash(key)));
const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');
