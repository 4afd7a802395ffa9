import { type Compilable, CompiledQuery } from 'kysely';
import { countText } from '../sql/reports/record-counts.ts';

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
    .map((text) => ({ compile: () => CompiledQuery.raw(text) }));
