import { type Compilable, CompiledQuery } from 'kysely';

/** Part of migration 0005: never change it. */
export const appendOnly = (tables: readonly string[]): Compilable[] =>
  tables
    .flatMap((table) =>
      ['update', 'delete'].map(
        (change) => `create trigger ${table}_no_${change} before ${change} on ${table} begin
         select raise(abort, '${table} is append-only');
       end`,
      ),
    )
    .map((text) => ({ compile: () => CompiledQuery.raw(text) }));
