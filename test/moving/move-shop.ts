import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNSEEN } from '../../src/domain/activation.ts';
import { TERMS_DEFAULTS } from '../../src/domain/terms.ts';
import { openService } from '../../src/installation/service.ts';
import { databaseEnvironment } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { START } from '../support/program.ts';
import { engineConfig } from '../support/service.ts';
import { startMariadb } from '../support/wordpress/mariadb.ts';
import {
  activationOf,
  type Expected,
  expectedOf,
  licenseOf,
  makeShop,
  UNCHANGED,
} from '../support/wordpress/shop.ts';

const PAGE = 1_000;
const isMovedAsItIs = new Set<string | null>(UNCHANGED);

/** Prints the peak memory of a process, in KiB. */
const PEAK = "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS))";
const CHANGED_AT = '2026-11-22 01:02:03';

/** Moves a shop in, compares each column, changes some rows in the shop, and moves and compares again. */
export async function moveShop(licenses: number, changed: number): Promise<void> {
  const mariadb = await startMariadb();
  try {
    const files = makeShop('dlm', licenses);
    mariadb.query('create database shop');
    mariadb.load(join(files, 'shop.sql'), 'shop');
    const dataDir = temporaryFolder();
    const expected = expectedOf(files).filter(({ odd }) => isMovedAsItIs.has(odd));

    const first = await move(dataDir, files, mariadb.url('shop'));
    console.log(`${licenses} licenses and ${licenses * 2} activations: ${first.words}`);
    console.log(`${await compare(dataDir, expected)} rows are the same in each column`);

    const every = Math.max(1, Math.floor(licenses / changed));
    const where = `where id % ${every} = ${1 % every} order by id limit ${changed}`;
    const update = (table: string, set: string) =>
      mariadb.query(`update ${table} set ${set} ${where}`, 'shop');
    update('wp_dlm_licenses', `status = 5, activations_limit = 77, updated_at = '${CHANGED_AT}'`);
    update('wp_dlm_license_activations', `deactivated_at = '${CHANGED_AT}'`);
    const isChanged = ({ id }: Expected) => id % every === 1 % every && id <= every * changed;
    const CHANGES: Record<string, object> = {
      license: { status: 5, limit: 77, updated_at: CHANGED_AT },
      activation: { deactivated_at: CHANGED_AT },
    };
    const second = await move(dataDir, files, mariadb.url('shop'));
    console.log(`${changed} changed rows of each: ${second.words}`);
    const now = expected.map((row) =>
      isChanged(row) ? ({ ...row, ...CHANGES[row.table] } as Expected) : row,
    );
    console.log(`${await compare(dataDir, now)} rows are the same in each column`);
  } finally {
    await mariadb.stop();
  }
}

/** Runs `latchkey move-in` in a process of its own. */
async function move(dataDir: string, files: string, database: string): Promise<{ words: string }> {
  const env = {
    ...process.env,
    ...(await databaseEnvironment(dataDir)),
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_MOVE_IN_DATABASE: database,
  };
  const report = join(temporaryFolder(), 'report.json');
  const peak = ['--import', `data:text/javascript,${encodeURIComponent(PEAK)}`];
  const args = [...peak, START, 'move-in', 'dlm', '--files', files, '--report', report];
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  assert.equal(status, 0, stderr);
  const mebibytes = Math.round(
    Math.max(...Array.from(stderr.matchAll(/^peak (\d+)/gm), ([, kib]) => Number(kib))) / 1_024,
  );
  const { counts, notes } = JSON.parse(readFileSync(report, 'utf8'));
  const { license, activation } = counts;
  const words = `${seconds} s, at most ${mebibytes} MiB, ${notes.length} notes\n  ${JSON.stringify({ license, activation })}`;
  return { words };
}

/** Compares each column of the rows that are moved unchanged. @returns the number of rows */
async function compare(dataDir: string, rows: readonly Expected[]): Promise<number> {
  const service = await openService(await engineConfig(dataDir), { mustExist: true });
  const { licenses, moves } = service.store.read;
  const keys = new Map<unknown, number>();
  try {
    const valid = Map.groupBy(
      rows.filter((row) => row.table === 'activation' && row.deactivated_at === null),
      (row) => row.license_id,
    );
    const licenseIds = new Set(rows.filter(({ table }) => table === 'license').map(({ id }) => id));
    let [license, activation] = [await licenses.after(0, PAGE, {}), await moves.activations(0, PAGE)];
    let compared = 0;
    for (const row of rows) {
      // Of several licenses with one key, the first stays.
      if (row.table === 'license' && keys.has(row.key)) continue;
      if (row.table === 'license') {
        keys.set(row.key, row.id);
        while ((license.at(-1)?.id ?? Number.POSITIVE_INFINITY) < row.id)
          license = await licenses.after(license.at(-1)?.id ?? 0, PAGE, {});
        const found = license.find(({ id }) => id === row.id);
        assert.ok(found, `license ${row.id} is not there`);
        const { id: _, timesActivated, ...values } = found;
        assert.deepEqual(values, { ...licenseOf(row), ...TERMS_DEFAULTS });
        if (row.odd === null) assert.equal(timesActivated, valid.get(row.id)?.length ?? 0);
      } else {
        while ((activation.at(-1)?.id ?? Number.POSITIVE_INFINITY) < row.id)
          activation = await moves.activations(activation.at(-1)?.id ?? 0, PAGE);
        const found = activation.find(({ id }) => id === row.id);
        if (!found) {
          // The license of this activation was not moved.
          assert.ok(!licenseIds.has(Number(row.license_id)), `activation ${row.id} is not there`);
          continue;
        }
        const { id: _, ...values } = found;
        // The license may be the first one with the same key.
        const endedAs = row.deactivated_at === null ? null : 'deactivated';
        const whole = { ...UNSEEN, ...activationOf(row), endedAs };
        assert.deepEqual({ ...values, licenseId: row.license_id }, whole);
      }
      compared++;
    }
    return compared;
  } finally {
    await service.close();
  }
}
