import type { ArchiveReader, FoundArchive, NewArchive } from '../../archive/archive.ts';
import type { Config } from '../../config/config.ts';
import type { Artifacts } from '../../storage/storage.ts';
import type { CopySource, CopyTarget, Row } from '../../store/backups/copy.ts';

/** What is backed up: the database of the settings as it is, and the files of its releases. */
export interface BackupSource {
  engine: 'sqlite' | 'postgres';
  /** For messages; without a password. */
  database: string;
  openSource(): Promise<CopySource>;
  files: Artifacts;
  close(): Promise<void>;
}

/** What a backup needs of the place that it is restored to. */
export interface Needed {
  /** Names of those that its tables have. */
  migrations: readonly string[];
  /** Fingerprints of the master keys that open it, any of which will do. */
  masterKeys: readonly string[];
  /** A file with such a key, to be copied there; null where it is there already. */
  masterKeyFile: string | null;
}

/** The place that a backup is restored to: the empty database of the settings, and their storage. */
export interface OpenRestore {
  target: CopyTarget;
  artifacts: Artifacts;
  /** For messages; without a password. */
  to: string;
  /** The master key file, where it was made as a copy of the one that was named. */
  madeMasterKey: string | null;
  /** Lets go of all; what was made for a target that was not committed goes, too. */
  close(): Promise<void>;
}

/** What backups are made, found and restored with. */
export interface BackupHost {
  openSource(config: Config): Promise<BackupSource>;
  beginArchive(to: string, at: number): Promise<NewArchive>;
  openArchive(path: string): Promise<ArchiveReader>;
  /** Those of a folder that are named by their time, the newest first. */
  findArchives(folder: string): FoundArchive[];
  removeArchive(path: string): void;
  /** @throws CopyRefused before anything is changed */
  openRestore(config: Config, needed: Needed): Promise<OpenRestore>;
  /** The master key in a file, of the settings, or in the data directory; null where there is none. */
  findMasterKey(config: Config, file: string | null): Uint8Array | null;
  /**
   * What tells of rows of licenses whether each opens; null where the key is none that opens them.
   * @param meta what the database of the backup says of its keys, by name
   * @throws ArchiveDamaged
   */
  keyOpener(
    masterKey: Uint8Array,
    meta: ReadonlyMap<string, string>,
  ): ((rows: readonly Row[]) => boolean[]) | null;
}
