import type { Credentials } from '../app/api-keys/credentials.ts';
import type { Services } from '../app/execute.ts';
import type { Config } from '../config/config.ts';
import type { Artifacts } from '../storage/storage.ts';
import type { CopySource, CopyTarget } from '../store/backups/copy.ts';
import type { FileInspection, ServerInspection } from '../store/backups/inspection.ts';
import type { NewRotation } from '../store/store.ts';
import type { BackupHost } from './backups/backup-host.ts';

/** An open data directory. */
export interface Service extends Services {
  /** Names of the migrations that opening applied. */
  migrated: string[];
  /** The master key file, where opening made it. */
  madeMasterKey: string | null;
  /** For messages: "the database in ./data", or its address without a password. */
  database: string;
  close(): Promise<void>;
}

/** What a server is started with. */
export interface ServerStart {
  config: Config;
  /** What the log is to warn of. */
  warnings: readonly string[];
  /** The flags that were given, as the variables that they stand for: what it starts is given the same. */
  settings: Readonly<Record<string, string>>;
  print(text: string): void;
}

/** Where a move goes to: a PostgreSQL database, or a data directory. */
export type Destination = { databaseUrl: string } | { dataDir: string };

/** Both sides of a move. */
export interface OpenMove {
  source: CopySource;
  target: CopyTarget;
  /** For messages; without passwords. */
  from: string;
  to: string;
  /** Names of the migrations that the source lacked and now has. */
  migrated: string[];
  /** The master key file of the target, where it was made as a copy of the source's. */
  madeMasterKey: string | null;
  /** Lets go of both; what was made for a target that was not committed goes, too. */
  close(): Promise<void>;
}

/** A database whose master key is being exchanged. */
export interface OpenRotation {
  service: Service;
  /** Whether the rotation that was asked to go on has come to its end before. */
  done: boolean;
  /** What it begins with; null where one is under way, or done. */
  begin: NewRotation | null;
  /** Puts the new key file in its place: where the old one is kept; null where the key is given by the environment. */
  exchange(): string | null;
}

/** What main.ts hands in, so that the commands know neither the engine nor the server. */
export interface Host {
  version: string;
  /** Runs the server; resolves when it listens. */
  serve(start: ServerStart): Promise<void>;
  /** @param options.mustExist makes no new database */
  openService(config: Config, options: { mustExist: boolean }): Promise<Service>;
  /** What backups are made, found and restored with. */
  backups(): Promise<BackupHost>;
  /** Opens the database of the settings, and an empty one to copy it to. */
  openMove(config: Config, to: Destination): Promise<OpenMove>;
  /** Opens the database of the settings, to exchange its master key. */
  openRotation(config: Config): Promise<OpenRotation>;
  /** Makes user 1 and the API key of the settings, where they are missing. */
  setUpService(service: Service, config: Config, first: Credentials | null): Promise<unknown>;
  /** Whether an error of opening tells, in its message, what is wrong with the data directory. */
  isSetupFault(error: Error): boolean;
  databaseFile(dataDir: string): string;
  masterKeyFile(dataDir: string): string;
  /** Null where there is none; throws where there is something else. */
  readMasterKey(dataDir: string): Uint8Array | null;
  inspectFile(databaseFile: string, masterKey: Uint8Array | null): Promise<FileInspection>;
  /** The database of the settings, which are of PostgreSQL. */
  inspectServer(config: Config, masterKey: Uint8Array | null): Promise<ServerInspection>;
  /** Its address, for messages; without a password. */
  databaseName(config: Config): string;
  /** Where the bytes of releases are, as the settings say. */
  openArtifacts(config: Config): Promise<Artifacts>;
}
