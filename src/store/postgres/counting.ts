import { type Compilable, CompiledQuery } from 'kysely';
import { countText } from '../sql/reports/record-counts.ts';

/**
 * So many that connections which create at the same time seldom share one, where they would wait for each other's
 * commit; and so few that a sum over them is nothing.
 */
const SHARDS = 256;

/**
 * Once for each statement, however many rows it has changed. A transaction writes one shard of a table and, as a trigger
 * runs when the statement has all its other locks, writes it last: two of one statement each cannot wait for each other.
 */
const FUNCTION = `
  create function latchkey_count_records() returns trigger language plpgsql as $$
  begin
    insert into record_counts as counts (counted, shard, records)
    select tg_table_name, pg_backend_pid() % ${SHARDS}, case tg_op when 'INSERT' then count(*) else -count(*) end
    from changed having count(*) > 0
    on conflict (counted, shard) do update set records = counts.records + excluded.records;
    return null;
  end $$`;

/** Migration 0004 is made of this, so it stays as it is. */
export const counting = (tables: readonly string[]): Compilable[] =>
  [
    FUNCTION,
    ...tables.flatMap((table) => [
      `create trigger ${table}_come after insert on ${table} referencing new table as changed
         for each statement execute function latchkey_count_records()`,
      `create trigger ${table}_go after delete on ${table} referencing old table as changed
         for each statement execute function latchkey_count_records()`,
      // The triggers keep everybody else from changing the table until the end of this transaction.
      countText(table),
    ]),
  ].map((text) => ({ compile: () => CompiledQuery.raw(text) }));
