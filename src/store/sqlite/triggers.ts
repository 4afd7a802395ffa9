import type { Compilable } from 'kysely';
import { countText } from '../sql/reports/record-counts.ts';
import { statement } from '../sql/statement.ts';

/** One shard is enough for one writer. Part of migration 0004: never change it. */
export const counting = (tables: readonly string[]): Compilable[] =>
  tables
    .flatMap((table) => [
      countText(table),
      `create trigger ${table}_come after insert on ${table} begin
         update record_counts set records = records + 1 where counted = '${table}' and shard = 0;
       end`,
      `create trigger ${table}_go after delete on ${table} begin
         update record_counts set records = records - 1 where counted = '${table}' and shard = 0;
       end`,
    ])
    .map(statement);

const refusing = (
  table: string,
  change: string,
): string => `create trigger ${table}_no_${change} before ${change} on ${table} begin
         select raise(abort, '${table} is append-only');
       end`;

/** Part of migration 0005: never change it. */
export const appendOnly = (tables: readonly string[]): Compilable[] =>
  tables.flatMap((table) => [refusing(table, 'update'), refusing(table, 'delete')]).map(statement);
