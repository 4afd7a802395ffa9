/** A table, the same on both engines. */
export interface Table {
  name: string;
  /** Sorted by name. */
  columns: readonly string[];
  /** Columns of the primary key, in its order. */
  key: readonly string[];
  /** Foreign keys. */
  references: readonly { column: string; table: string; to: string }[];
}

export type Value = number | string | Uint8Array | null;
/** The values of a row by column. */
export type Row = Readonly<Record<string, Value>>;

/** The rows of a database as they are stored, all as of one moment. */
export interface CopySource {
  /** All tables except the kept totals, each after the tables that it references. */
  readonly tables: readonly Table[];
  /** Names of the migrations that the database has. */
  readonly migrations: readonly string[];
  /**
   * Rows of `STAGED`, which are not copied: only the process that staged them could finish them. Notes that a stopped
   * import has not written stay behind.
   */
  readonly leftOut: number;
  /** All rows in the order of the primary key, texts by their bytes, in chunks that fit into memory. */
  rows(table: Table): AsyncIterable<readonly Row[]>;
  /** The highest id that the table ever assigned, deleted rows included; null when it assigns none. */
  lastId(table: Table): Promise<number | null>;
  close(): Promise<void>;
}

/** Licenses that an import or a generation has not committed yet, and notes that it has not written yet. */
export const STAGED = 'staged_licenses';

/** An empty database in a transaction. `close` without `commit` undoes everything, the creation of the tables included. */
export interface CopyTarget extends CopySource {
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** The next row gets an id above this one. */
  countOnFrom(table: Table, lastId: number): Promise<void>;
  /** Applies the migrations that the tables lack, and returns their names. */
  migrate(): Promise<string[]>;
  commit(): Promise<void>;
}

/** Why a copy is not made; the message completes a sentence. */
export class CopyRefused extends Error {
  override name = 'CopyRefused';
  readonly code:
    | 'target_unavailable'
    | 'target_not_empty'
    | 'master_key_missing'
    | 'master_key_differs'
    | 'migrations_differ'
    | 'rotation_under_way'
    | 'file_key_invalid'
    | 'space_missing'
    | 'rows_refused'
    | 'copy_differs';
  constructor(code: CopyRefused['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
