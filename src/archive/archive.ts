/** The container of a backup: a file that holds named entries. */

/** A new archive, whose name marks it as unfinished. Only one is made in a folder at a time. */
export interface NewArchive {
  /** Its final path. */
  readonly path: string;
  /**
   * Appends an entry.
   * @param size the exact number of bytes
   * @returns the SHA-256 of the bytes, 64 hex digits
   * @throws OtherBytes if there are more or fewer bytes, system errors, and the errors of `bytes`
   */
  add(name: string, size: number, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string>;
  /** Writes the end of the archive, syncs it to disk, and opens it for reading. */
  finish(): Promise<ArchiveReader>;
  /** Gives the archive its final name, durably. @throws ArchiveRefused if the name is taken */
  keep(): Promise<void>;
  /** Releases everything, and removes the archive unless it was kept. */
  close(): Promise<void>;
}

export interface ArchiveReader {
  /** The size of the file. */
  readonly bytes: number;
  /** The size of each entry by its name, in the order of the file. */
  readonly entries: ReadonlyMap<string, number>;
  read(name: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** An archive in a folder. */
export interface FoundArchive {
  path: string;
  /** When it was begun, according to its name, in milliseconds since the epoch. */
  when: number;
  /** Whether it contains release files, according to its name. */
  hasFiles: boolean;
  bytes: number;
}

/** A stream does not have the announced size. The message completes a sentence that names the stream. */
export class OtherBytes extends Error {
  override name = 'OtherBytes';
}

/** Something in an archive is missing or was changed. The message says what. */
export class ArchiveDamaged extends Error {
  override name = 'ArchiveDamaged';
}

/** A new archive cannot be made. The message completes a sentence. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused';
  readonly code: 'file_exists' | 'under_way';
  constructor(code: ArchiveRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}
