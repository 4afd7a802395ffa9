/** What the console shows about the program and its environment. Contains no secrets. */
export interface Installation {
  version: string;
  /** The version of Node.js. */
  runtime: string;
  /** The folder of the SQLite file, or the PostgreSQL URL without user and password. */
  database: { kind: 'sqlite' | 'postgres'; place: string };
  /** Where the files of releases are: the data directory, or the name of a bucket. */
  storage: { kind: 'folder' | 'bucket'; place: string };
  processes: number;
  /** When this process started, in milliseconds since the epoch. */
  startedAt: number;
  /** Name of the latest migration. */
  schema: string;
  /** The path of the v1 API below the public address: `/wp-json/dlm/v1`. */
  apiPath: string;
  /** The path of the client API below the public address: `/client/v1`; null if it is switched off. */
  clientPath: string | null;
  settings: readonly ShownSetting[];
  /** SHA-256 of the consumer key in the settings; null if the settings have none. */
  configuredKey: Uint8Array | null;
  /** Days for which a deleted license can be restored. */
  trashDays: number;
  masterKeyIsFile: boolean;
  backups(): Promise<ShownBackups>;
  /** Makes a backup in the folder from the settings. Returns null if this process is already making one. */
  backUp(signal: AbortSignal, onProgress: () => void): Promise<MadeBackupFile | null>;
  health(): Promise<Health>;
}

export interface MadeBackupFile {
  file: string;
  bytes: number;
  /** Why no backup was made; null if one was. */
  problem: string | null;
}

export const CHECKS = ['database', 'disk', 'backups', 'audit'] as const;

/**
 * The results of the checks; only `database` if the database is unavailable. Without `backups` if something else may make
 * them.
 */
export type Health = readonly {
  check: (typeof CHECKS)[number];
  isGood: boolean;
  /** Free bytes of the disk (null if it is not writable), or hours since the newest backup; null for other checks. */
  amount: number | null;
}[];

export interface ShownSetting {
  /** LATCHKEY_PORT */
  variable: string;
  /** --port; null for a secret, which has none. */
  flag: string | null;
  meaning: string;
  /** The default, in words. */
  fallback: string;
  isSecret: boolean;
  /** Whether a flag or a variable sets it. */
  isSet: boolean;
  /** Null for a secret, and for a setting with neither a value nor a default. */
  value: string | null;
}

export interface ShownBackups {
  folder: string;
  /** Hours between two backups of the server; 0 for none. */
  everyHours: number;
  /** The newest backup, with `begunAt` in milliseconds since the epoch; null if there is none. */
  newest: { begunAt: number; bytes: number } | null;
  /** Why the folder cannot be read; null if it can. */
  problem: string | null;
}
