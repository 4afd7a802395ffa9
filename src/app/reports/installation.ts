/** What the console tells of the program and where it runs; what is secret is not in it. */
export interface Installation {
  version: string;
  /** Of Node.js. */
  runtime: string;
  /** The folder of the file, or the address without user and password. */
  database: { kind: 'sqlite' | 'postgres'; place: string };
  /** Where the files of releases are: the data directory, or the name of a bucket. */
  storage: { kind: 'folder' | 'bucket'; place: string };
  /** That serve side by side. */
  processes: number;
  /** Of this process, in milliseconds since the epoch. */
  startedAt: number;
  /** The latest migration that this version knows, which the database has. */
  schema: string;
  /** Where the v1 API is, below the public address: `/wp-json/dlm/v1`. */
  apiPath: string;
  settings: readonly ShownSetting[];
  /** SHA-256 of the consumer key that the settings give; null where they give none. */
  configuredKey: Uint8Array | null;
  masterKeyIsFile: boolean;
  backups(): Promise<ShownBackups>;
  health(): Promise<Health>;
}

export const CHECKS = ['database', 'disk', 'backups', 'audit'] as const;

/** What was looked at; only the database where that cannot be asked. */
export type Health = readonly {
  check: (typeof CHECKS)[number];
  isGood: boolean;
  /** Free bytes of the disk, hours since the newest backup; null where there is nothing to count. */
  amount: number | null;
}[];

export interface ShownSetting {
  /** LATCHKEY_PORT */
  variable: string;
  /** --port */
  flag: string;
  meaning: string;
  /** The default, in words. */
  fallback: string;
  isSecret: boolean;
  /** Whether a flag or a variable gave it. */
  isSet: boolean;
  /** Null where it is secret, or not set and the default is none. */
  value: string | null;
}

export interface ShownBackups {
  folder: string;
  /** Hours from one that the server makes to the next; 0 for none. */
  everyHours: number;
  /** In milliseconds since the epoch; null where there is none. */
  newest: { begunAt: number; bytes: number } | null;
  /** Why the folder cannot be looked at; null where it can. */
  problem: string | null;
}
