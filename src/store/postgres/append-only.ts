import { type Compilable, CompiledQuery } from 'kysely';

const FUNCTION = `
  create function latchkey_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% is append-only', tg_table_name;
  end $$`;

/** Part of migration 0005: never change it. */
export const appendOnly = (tables: readonly string[]): Compilable[] =>
  [
    FUNCTION,
    ...tables.map(
      (table) => `create trigger ${table}_no_change before update or delete or truncate on ${table}
         for each statement execute function latchkey_refuse_change()`,
    ),
  ].map((text) => ({ compile: () => CompiledQuery.raw(text) }));
