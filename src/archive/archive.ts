/** A file that holds others, each under a name: the container of a backup. It knows nothing of their meaning. */

/** A new archive, under a name that marks it as unfinished. Only one is made in a folder at a time. */
export interface NewArchive {
  /** Its path once it is kept. */
  readonly path: string;
  /**
   * Appends an entry.
   * @param size how many bytes come
   * @returns their SHA-256, 64 hex digits
   * @throws OtherBytes when more or fewer come, errors of the system, and what `bytes` throws
   */
  add(name: string, size: number, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string>;
  /** Writes the end to the disk, and opens the archive for reading. */
  finish(): Promise<ArchiveReader>;
  /** Gives it its name, durably. @throws ArchiveRefused when the name is taken */
  keep(): Promise<void>;
  /** Lets go, and removes an archive that was not kept. */
  close(): Promise<void>;
}

export interface ArchiveReader {
  /** How many bytes the file has. */
  readonly bytes: number;
  /** The size of each entry by its name, in the order of the file. */
  readonly entries: ReadonlyMap<string, number>;
  read(name: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** An archive in a folder. */
export interface FoundArchive {
  path: string;
  /** When it was begun, by its name, in milliseconds since the epoch. */
  when: number;
  bytes: number;
}

/** A stream does not have the promised bytes; the message completes a sentence that names it. */
export class OtherBytes extends Error {
  override name = 'OtherBytes';
}

/** Something in an archive is missing or was changed; the message says what. */
export class ArchiveDamaged extends Error {
  override name = 'ArchiveDamaged';
}

/** A new archive cannot be made; the message completes a sentence. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused';
  readonly code: 'file_exists' | 'under_way';
  constructor(code: ArchiveRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}
