import type { Kysely, Selectable } from 'kysely';
import { snakeCased } from '../../domain/names.ts';
import type { Schema } from './schema.ts';
import { type Connection, execute, prepare } from './statement.ts';

type Nouns = 'generators' | 'software' | 'releases' | 'api_keys';
/** Values by the names of the domain; what is undefined is left out. */
type Values = Readonly<Record<string, unknown>>;

/** The row that a statement answers, as a record; null where it answers none. */
export const first = <Row, Record_>(rows: readonly Row[], toRecord: (row: Row) => Record_): Record_ | null =>
  rows[0] === undefined ? null : toRecord(rows[0]);

/** Writes a table of records whose columns have the names of their fields. Licenses and activations have queries of their own. */
export function recordQueries<Table extends Nouns>(db: Kysely<Schema>, table: Table) {
  // Kysely cannot follow a table that is a type parameter.
  const anyTable = table as 'generators';
  const remove = prepare((p: { id: number }) => db.deleteFrom(anyTable).where('id', '=', p.id));
  return {
    /** @returns the id of the new row */
    async insert(connection: Connection, values: Values): Promise<number> {
      const query = db
        .insertInto(anyTable)
        .values(snakeCased(values) as never)
        .returning('id');
      return (await execute(connection, query)).rows[0]?.id as number;
    },
    async update(connection: Connection, id: number, values: Values): Promise<void> {
      const query = db
        .updateTable(anyTable)
        .set(snakeCased(values) as never)
        .where('id', '=', id);
      await execute(connection, query);
    },
    async delete(connection: Connection, id: number): Promise<void> {
      await remove(connection, { id });
    },
  };
}

export type RowOf<Table extends keyof Schema> = Selectable<Schema[Table]>;
