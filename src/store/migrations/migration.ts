import type {
  ColumnDefinitionBuilder,
  Compilable,
  CreateTableBuilder,
  RawBuilder,
  SchemaModule,
} from 'kysely';

/** A numbered change of the schema. Append only: one that has been released is never edited. */
export interface Migration {
  name: string;
  up(tools: MigrationTools): Compilable[];
}

// biome-ignore lint/suspicious/noExplicitAny: the column type parameters of kysely's builders are of no use here
type TableBuilder = CreateTableBuilder<any, any>;
type ColumnType = 'integer' | 'text' | 'bigint' | RawBuilder<unknown>;

/** What an engine brings to them. */
export type EngineTools = Omit<MigrationTools, 'schema' | 'statement'>;

/** What differs between the engines when a table is made. */
export interface MigrationTools {
  schema: SchemaModule;
  /** A statement in SQL that both engines know. */
  statement(text: string): Compilable;
  types: {
    id: ColumnType;
    /** Makes a column the primary key that counts up and never gives a number twice. */
    identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
    bigint: ColumnType;
    datetime: ColumnType;
    bytes: RawBuilder<unknown>;
  };
  /** Finishes a table the engine's way. */
  table(builder: TableBuilder): TableBuilder;
  /** The same, for what a crash of the database may lose. */
  scratch(builder: TableBuilder): TableBuilder;
  /** Counts the rows of tables that are there, and from then on what comes and goes, in `record_counts`. */
  counting(tables: readonly string[]): Compilable[];
  /** A column of text with A to Z as a to z and nothing else changed, in the order of its bytes: what a prefix is looked up by. */
  lowered(column: string): RawBuilder<string>;
  /** Has the database refuse to change or remove rows of tables. */
  appendOnly(tables: readonly string[]): Compilable[];
}
