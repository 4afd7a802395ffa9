/**
 * A file that holds others, each under a name: what backups are kept in. It knows nothing of what they mean.
 */

/** To be filled, one entry behind the other. */
export interface ArchiveWriter {
  /**
   * Appends an entry. Where the bytes cannot be read to their end, it is as if it had never been begun.
   * @param size bytes that come
   * @param expected their SHA-256, where it is known
   * @returns 64 hex digits, the SHA-256 of the bytes
   * @throws what the bytes failed with, an error of the system, or OtherBytes
   */
  add(name: string, size: number, bytes: Source, expected?: string): Promise<string>;
}

/** Bytes to be read once. */
export type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A whole archive, of which any entry can be read. */
export interface ArchiveReader {
  /** The size in bytes of each entry by its name, in their order. */
  readonly entries: ReadonlyMap<string, number>;
  /** The bytes of an entry. A chunk holds what it does until the next one is asked for. */
  read(name: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** An archive that is being made, under a name that says that it is not done. */
export interface NewArchive extends ArchiveWriter {
  /** Where it will be. */
  readonly path: string;
  /** All of it is on the disk when this resolves: how many bytes. Nothing can be added any more. */
  finish(): Promise<number>;
  /** Reads what was finished. */
  reread(): Promise<ArchiveReader>;
  /** Gives it its name, under which there must still be nothing; it survives a power cut when this resolves. */
  keep(): Promise<void>;
  /** Lets go; what was not kept is removed. */
  close(): Promise<void>;
}

/** An archive that is in a folder of such. */
export interface FoundArchive {
  path: string;
  /** When it was begun, by its name, in milliseconds since the epoch. */
  when: number;
  bytes: number;
}

/** A stream has not the bytes that were promised; the message completes a sentence that names it. */
export class OtherBytes extends Error {
  override name = 'OtherBytes';
}

/** What an archive lacks, or what was changed in it; the message says where. */
export class ArchiveDamaged extends Error {
  override name = 'ArchiveDamaged';
}

/** A new archive cannot be begun; the message completes a sentence that says so. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused';
  readonly code: 'file_exists' | 'under_way';
  constructor(code: ArchiveRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}
