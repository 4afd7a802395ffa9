import type { Compilable } from 'kysely';
import { countText } from '../sql/reports/record-counts.ts';
import { statement } from '../sql/statement.ts';

/** Enough that concurrent connections seldom wait for each other's commit on one row, and few enough to add up. */
const SHARDS = 256;

/**
 * Runs once for each statement. A transaction writes one shard of a table, and the trigger writes it when the statement
 * holds all its other locks: two transactions of one statement each cannot deadlock.
 */
const COUNT = `
  create function latchkey_count_records() returns trigger language plpgsql as $$
  begin
    insert into record_counts as counts (counted, shard, records)
    select tg_table_name, pg_backend_pid() % ${SHARDS}, case tg_op when 'INSERT' then count(*) else -count(*) end
    from changed having count(*) > 0
    on conflict (counted, shard) do update set records = counts.records + excluded.records;
    return null;
  end $$`;

/** Part of migration 0004: never change it. */
export const counting = (tables: readonly string[]): Compilable[] =>
  [
    COUNT,
    ...tables.flatMap((table) => [
      `create trigger ${table}_come after insert on ${table} referencing new table as changed
         for each statement execute function latchkey_count_records()`,
      `create trigger ${table}_go after delete on ${table} referencing old table as changed
         for each statement execute function latchkey_count_records()`,
      // Creating the triggers has locked the table against changes until the end of this transaction.
      countText(table),
    ]),
  ].map(statement);

const REFUSE = `
  create function latchkey_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% is append-only', tg_table_name;
  end $$`;

/** Part of migration 0005: never change it. */
export const appendOnly = (tables: readonly string[]): Compilable[] =>
  [
    REFUSE,
    ...tables.map(
      (table) => `create trigger ${table}_no_change before update or delete or truncate on ${table}
         for each statement execute function latchkey_refuse_change()`,
    ),
  ].map(statement);
