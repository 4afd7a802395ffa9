import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../../src/installation/service.ts';

/** Licenses whose count of activations is not that of their valid ones, or is past their limit. */
export const WRONG_COUNTS = `
  select cast(count(*) as integer) from licenses l where times_activated <>
    (select count(*) from activations a where a.license_id = l.id and a.deactivated_at is null)
    or (activations_limit > 0 and times_activated > activations_limit)`;

/** Finds whether the database of a server that has ended is whole, and no count in it is wrong. */
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
