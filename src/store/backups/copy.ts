/** A table, as both engines have it. */
export interface Table {
  name: string;
  /** Sorted. */
  columns: readonly string[];
  /** Columns of the primary key, in its order. */
  key: readonly string[];
  /** What columns refer to: what is there in this one is there in that column of that table. */
  references: readonly { column: string; table: string; to: string }[];
}

export type Value = number | string | Uint8Array | null;
/** What a row holds, by column. */
export type Row = Readonly<Record<string, Value>>;

/** Rows of a database as they are, whatever they mean, all of one moment. */
export interface CopySource {
  /** All of the schema but for what is counted by itself, each behind those that it refers to. */
  readonly tables: readonly Table[];
  /** Names of the migrations that it has. */
  readonly migrations: readonly string[];
  count(table: Table): Promise<number>;
  /** All rows in the order of the primary key, texts byte by byte; so many at a time as fit into memory. */
  rows(table: Table): AsyncIterable<readonly Row[]>;
  /** The highest id that the table has ever given, to rows that are gone, too; null where it gives none. */
  lastId(table: Table): Promise<number | null>;
  close(): Promise<void>;
}

/** A database without rows, in a transaction of its own: what is not committed has never been, its tables included. */
export interface CopyTarget extends CopySource {
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** The next row gets an id above this one. */
  countOnFrom(table: Table, lastId: number): Promise<void>;
  /** Brings tables that were made as an earlier version had them up to date: names of the migrations that did so. */
  migrate(): Promise<string[]>;
  commit(): Promise<void>;
}

/** Why a copy is not made; the message completes a sentence that says so. */
export class CopyRefused extends Error {
  override name = 'CopyRefused';
  readonly code:
    | 'target_unavailable'
    | 'target_not_empty'
    | 'master_key_missing'
    | 'master_key_differs'
    | 'migrations_differ'
    | 'rotation_under_way'
    | 'rows_refused'
    | 'copy_differs';
  constructor(code: CopyRefused['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
