/** Values by column, as the bytes of their text. A column that the table does not have is absent. */
export type Row = Readonly<Record<string, Buffer | null>>;

/** Tables of WordPress, in a database or in a dump of it. */
export interface Source {
  /** Rows by table: those of the plugins and their options. */
  readonly tables: ReadonlyMap<string, number>;
  /** The value of an option of WordPress; null if there is none. @param table of options */
  option(table: string, name: string): Promise<Buffer | null>;
  /** All rows of these tables, as of one moment, in any order. @param read called with the part that was read, 0 to 1 */
  rows(
    tables: readonly string[],
    signal: AbortSignal,
    read: (part: number) => void,
  ): AsyncIterable<{ table: string; row: Row }>;
  close(): Promise<void>;
}

/** Tables of a plugin, below any prefix. */
export const PLUGIN_TABLE = /(?:dlm|lmfwc)_[a-z_]+$/;
export const OPTIONS_TABLE = /options$/;
