import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Datetime } from '../../domain/datetime.ts';
import { snakeCased, snakeName } from '../../domain/names.ts';
import { StoreDamaged } from '../errors.ts';
import type { Schema } from './schema.ts';
import { type Connection, type Database, execute, type Kind, oncePer, prepare } from './statement.ts';

/** Tables with a generated `id`, whose columns have the names of the record's fields. */
type RecordTable = {
  [Table in keyof Schema]: Schema[Table] extends { id: unknown } ? Table : never;
}[keyof Schema];
/** Values by field name. Undefined ones are left out. */
type Values = Readonly<Record<string, unknown>>;
export type RowOf<Table extends keyof Schema> = Selectable<Schema[Table]>;

/** Converts the first row to a record; null when there is no row. */
export const first = <Row, Record_>(rows: readonly Row[], toRecord: (row: Row) => Record_): Record_ | null =>
  rows[0] === undefined ? null : toRecord(rows[0]);

/** Parses a column of JSON. @throws StoreDamaged if the text is not JSON, or the row lacks the column */
export function parseJson(text: string | null) {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StoreDamaged('a row holds text that is no JSON', { cause });
  }
}

/** JSON in ASCII, for a PostgreSQL database of any encoding. */
export const asciiJson = (values: object): string =>
  JSON.stringify(values).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

// biome-ignore lint/suspicious/noExplicitAny: Kysely's types of the tables and rows are of no use here
type AnyQuery = SelectQueryBuilder<any, any, any>;

/** Counts the rows that a query matches. */
export async function countRows(connection: Connection, query: AnyQuery, about: Partial<Kind> = {}) {
  const counted = query.select((eb) => eb.fn.countAll().as('total'));
  const { rows } = await execute(connection, counted, about);
  return (rows[0] as { total: number } | undefined)?.total ?? 0;
}

/** Adds up a column of the rows that a query matches. */
export async function sumRows(connection: Connection, query: AnyQuery, column: string) {
  // In PostgreSQL, a sum of bigint is numeric.
  const sum = sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`.as('total');
  const { rows } = await execute(connection, query.select(sum));
  return (rows[0] as { total: number } | undefined)?.total ?? 0;
}

/** The value of a column: lists and objects become JSON, booleans 1 and 0. */
function columnValue(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  const isJson = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
  return isJson ? JSON.stringify(value) : value;
}

/** The columns of a record. */
export const columnsOf = (values: object): Values =>
  Object.fromEntries(
    Object.entries(snakeCased(values))
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, columnValue(value)]),
  );

/** An expression for the later of a column and a time. */
export const laterOf = (column: string, at: Datetime, stored = sql`${sql.ref(column)}`) =>
  sql<Datetime>`case when ${stored} > ${at} then ${sql.ref(column)} else ${at} end`;

/** Inserts, updates and deletes rows by id. */
export function recordQueries(db: Database, table: RecordTable) {
  // Kysely cannot follow a table that is a type parameter.
  const anyTable = table as 'generators';
  const inserting = oncePer((fields) =>
    prepare((p: readonly unknown[]) => {
      const values = Object.fromEntries(fields.map((field, i) => [snakeName(field), p[i]])) as never;
      return db.insertInto(anyTable).values(values).returning('id');
    }),
  );
  return {
    /** @returns the id of the new row */
    async insert(connection: Connection, record: object): Promise<number> {
      const values = record as Values;
      const fields = Object.keys(values).filter((field) => values[field] !== undefined);
      const parameters = fields.map((field) => columnValue(values[field]));
      return (await inserting(fields)(connection, parameters)).rows[0]?.id as number;
    },
    async update(connection: Connection, id: number, values: object): Promise<void> {
      const columns = columnsOf(values) as never;
      await execute(connection, db.updateTable(anyTable).set(columns).where('id', '=', id));
    },
    async delete(connection: Connection, id: number): Promise<void> {
      await execute(connection, db.deleteFrom(anyTable).where('id', '=', id));
    },
  };
}

/**
 * Adds to the counts of a row, or inserts the row.
 * @param key the columns of the table's key
 */
export function addingQuery<
  Table extends keyof Schema,
  Key extends keyof Schema[Table] & string,
  Sum extends keyof Schema[Table] & string,
>(db: Database, table: Table, key: readonly Key[], sums: readonly Sum[], about: Pick<Kind, 'last'> = {}) {
  return prepare((p: Pick<Schema[Table], Key | Sum>) => {
    const values = Object.fromEntries([...key, ...sums].map((name) => [name, p[name]]));
    const added = sums.map((sum) => [
      sum,
      sql`${sql.table(table)}.${sql.ref(sum)} + excluded.${sql.ref(sum)}`,
    ]);
    return db
      .insertInto(table)
      .values(values as never)
      .onConflict((c) => c.columns(key as never).doUpdateSet(Object.fromEntries(added) as never));
  }, about);
}

/** Rows that one statement inserts (staging 100,000 rows takes 730 ms of CPU time with 1, 640 with 20). */
const ROWS_AT_ONCE = 20;

/** Inserts many rows. Each row has its values in the order of the columns. */
export function rowsQuery<Table extends keyof Schema>(
  db: Database,
  table: Table,
  columns: readonly (keyof Schema[Table] & string)[],
  about: Pick<Kind, 'last'> = {},
) {
  const prepareInsert = (rows: number) =>
    prepare((p: readonly unknown[]) => {
      const row = (at: number) => columns.map((column, i) => [column, p[at * columns.length + i]]);
      const values = Array.from({ length: rows }, (_, at) => Object.fromEntries(row(at)));
      return db.insertInto(table).values(values as never);
    }, about);
  const [insertSome, insertOne] = [prepareInsert(ROWS_AT_ONCE), prepareInsert(1)];
  return async (connection: Connection, rows: readonly (readonly unknown[])[]): Promise<void> => {
    const rest = rows.length - (rows.length % ROWS_AT_ONCE);
    for (let at = 0; at < rest; at += ROWS_AT_ONCE)
      await insertSome(connection, rows.slice(at, at + ROWS_AT_ONCE).flat());
    await Promise.all(rows.slice(rest).map((row) => insertOne(connection, row)));
  };
}
