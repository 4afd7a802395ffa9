import type {
  ColumnDefinitionBuilder,
  Compilable,
  CreateTableBuilder,
  RawBuilder,
  SchemaModule,
} from 'kysely';

/** A numbered change of the schema. Never edit a released one. */
export interface Migration {
  name: string;
  /** What the migration does, in sentences for operators: `upgrade-check` and a start show them. */
  note: string;
  /** Tables whose existing rows the server rewrites after the start, while it serves requests. */
  rewrites?: readonly string[];
  /** Whether the previous version no longer works on the database. */
  isBreaking?: true;
  up(tools: MigrationTools): Compilable[];
}

// biome-ignore lint/suspicious/noExplicitAny: the column type parameters of kysely's builders are of no use here
type TableBuilder = CreateTableBuilder<any, any>;
type ColumnType = 'integer' | 'text' | 'bigint' | RawBuilder<unknown>;

/** Tools for migrations, which differ between the engines. */
export interface MigrationTools {
  schema: SchemaModule;
  /** A statement in SQL that both engines understand. */
  statement(text: string): Compilable;
  types: {
    id: ColumnType;
    /** Makes a column the primary key, with increasing values that are never used twice. */
    identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
    bigint: ColumnType;
    datetime: ColumnType;
    bytes: RawBuilder<unknown>;
  };
  /** Adds the engine's options to a table. */
  table(builder: TableBuilder): TableBuilder;
  /** Adds the options of a table that may lose its rows in a crash. */
  scratch(builder: TableBuilder): TableBuilder;
  /** Counts the rows of tables in `record_counts`, and adds triggers that keep the counts. */
  counting(tables: readonly string[]): Compilable[];
  /** A text column with A to Z in lower case, sorted by bytes, for look-ups by prefix. */
  lowered(column: string): RawBuilder<string>;
  /**
   * SQL at the end of a select that locks its rows, in their order, until the transaction ends, so that two
   * transactions cannot deadlock.
   */
  lockRows: RawBuilder<unknown>;
  /** The value of a name in a column of JSON. Bytes are hex digits there. */
  fromJson(column: string, name: string, type: 'text' | 'number' | 'datetime' | 'bytes'): RawBuilder<unknown>;
  /** Makes later rows get ids above a given id. Null if the engine does so by itself, when a row gets the given id. */
  advanceIds(table: string, id: number): RawBuilder<unknown> | null;
  /** Makes tables append-only by triggers. */
  appendOnly(tables: readonly string[]): Compilable[];
}
