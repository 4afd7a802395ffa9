import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../../src/installation/service.ts';

/** Counts licenses whose `times_activated` differs from their number of active activations, or exceeds their limit. */
export const WRONG_COUNTS = `
  select cast(count(*) as integer) from licenses l where times_activated <>
    (select count(*) from activations a where a.license_id = l.id and a.deactivated_at is null)
    or (activations_limit > 0 and times_activated > activations_limit)`;

/** Asserts that the database of a stopped server is intact, and that no counter in it is wrong. */
export function assertWhole(dataDir: string): void {
  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
  try {
    const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
    assert.equal(one('pragma integrity_check'), 'ok');
    assert.equal(one(WRONG_COUNTS), 0);
  } finally {
    database.close();
  }
}
