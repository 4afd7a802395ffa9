import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Record_ } from '../support/http/api.ts';
import { incomingFiles, storedFiles } from '../support/http/artifacts.ts';
import { until } from '../support/postgres/cluster.ts';
import type { Installation } from './installation.ts';
import { allLicenses, allOf, certain, differs, type Journal, type Release, validOf } from './journal.ts';
import { fetchFile } from './release-operations.ts';
import type { Tally } from './tally.ts';

/** Milliseconds for the housekeeping after a start. */
const TIDY_MS = 60_000;
const SHA256_DIGITS = 64;
/** Number of concurrent requests. */
const CONCURRENCY = 8;

/**
 * Reads the last changed records from the service and compares them with the journal, after the journal was
 * compared with the database.
 * @param older releases of earlier rounds to download as well
 * @throws AssertionError
 */
export async function verifyService(
  { running }: Installation,
  journal: Journal,
  older: readonly Release[],
  tally: Tally,
): Promise<void> {
  const api = running();
  const { touched } = journal;
  await each(allLicenses(journal), touched, async (license) => {
    const key = certain(license)?.key;
    const found: Record_ = await api.ok('GET', `/licenses/${key}`);
    assert.equal(differs(license, found), null);
    const [activation] = validOf(license);
    if (activation) {
      const answer: Record_ = await api.ok('GET', `/licenses/validate/${activation.token}`);
      assert.equal(answer.license.license_key, key);
    }
    tally.compared('licenses read from the service', 1);
  });
  await each(allOf(journal, 'generators'), touched, async ({ id, name, possible }) => {
    if (possible[0] === null) return;
    const found: Record_ = await api.ok('GET', `/generators/${id}`);
    assert.equal(found.name, name);
  });
  await each(journal.batches, touched, async ({ orderId, possible: [size] }) => {
    const query = { order_id: orderId, per_page: 1 };
    const { headers } = await api.call('GET', '/licenses', { query });
    assert.equal(Number(headers.get('x-wp-total')), size ?? 0);
  });
  await each([...older, ...allOf(journal, 'releases')], new Set([...touched, ...older]), async (release) => {
    const found: Record_ = await api.ok('GET', `/software/${release.softwareId}`);
    assert.equal(found.version, '1.0.0');
    assert.equal(await fetchFile(release, found.download_url), 200);
    tally.compared('complete downloads', 1);
  });
  touched.clear();
}

async function each<One>(
  all: readonly One[],
  chosen: ReadonlySet<unknown>,
  look: (one: One) => Promise<void>,
): Promise<void> {
  const left = new Set(all.filter((one) => chosen.has(one))).values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const one of left) await look(one);
    }),
  );
}

/**
 * Verifies that the files of all releases exist in full length. If housekeeping has begun since the kill,
 * waits until no other file is left.
 * @param isKept whether housekeeping has begun since the kill
 * @throws Error
 */
export async function verifyFiles(
  { rows, dataDir }: Installation,
  { leavable }: Journal,
  isKept: boolean,
  tally: Tally,
): Promise<void> {
  const folder = join(dataDir, 'artifacts');
  const artifacts = await rows('select storage_key, size from artifacts');
  for (const { storage_key, size } of artifacts) {
    const found = statSync(join(folder, String(storage_key)), { throwIfNoEntry: false });
    assert.equal(found?.size, Number(size), `the file ${storage_key}`);
  }
  tally.compared('files of full length', artifacts.length);
  const unused = await rows(
    'select id from artifacts where not exists (select 1 from releases where artifact_id = artifacts.id)',
  );
  assert.deepEqual(unused, [], 'artifacts without a release');
  if (!isKept) return;
  const keys = new Set(artifacts.map(({ storage_key }) => join(folder, String(storage_key))));
  const left = () => [
    ...incomingFiles(dataDir),
    ...storedFiles(dataDir).filter(
      (file) => !keys.has(file) && !leavable.has(basename(file).slice(0, SHA256_DIGITS)),
    ),
  ];
  await until('the removal of files without a release', async () => left().length === 0, TIDY_MS).catch(
    (error) => {
      throw new Error(`${error.message}: ${left()}`);
    },
  );
}
