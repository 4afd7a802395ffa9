/**
 * The form of the keys that `artifacts.ts` makes: `ab/abcd….owner-1`. Keys come back from the database and from backups, and
 * become paths, so every other text must be refused.
 */
export const STORAGE_KEY = /^[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-z-]+$/;

/** The storage for release files. Every method may throw StorageUnavailable. */
export interface ByteStore {
  /** Moves a file of this machine into the storage. Once the promise resolves, the bytes survive a power cut. */
  put(key: string, file: string): Promise<void>;
  /** @throws BytesMissing before the first byte, if there is nothing under the key */
  open(key: string, range: ByteRange): Promise<Bytes>;
  /** An address for downloading the bytes, valid for a short time; null if downloads must pass through Latchkey. */
  signedUrl(key: string, as: Download): Promise<string | null>;
  /** Number of bytes under the key; null if there is nothing. */
  size(key: string): Promise<number | null>;
  /** Does nothing if there is nothing under the key. */
  remove(key: string): Promise<void>;
  /** All keys in any order, each with the time of its put, in milliseconds since the epoch. */
  keys(): AsyncIterable<{ key: string; since: number }>;
}

/** Bytes to read once. A chunk is valid until the next one is requested. */
export interface Bytes extends AsyncIterable<Uint8Array> {
  /** Releases the bytes without reading them. A reader releases them when it ends or stops. */
  destroy(): void;
}

/** The positions of the first and the last byte, both inclusive, starting at 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Headers of a download. */
export interface Download {
  /** The whole value of the header. */
  contentDisposition: string;
  contentType: string;
}

/** A received file on this machine, which is not placed yet. */
export interface Received {
  /** The path of the file. */
  file: string;
  /** The key under which `place` puts it. */
  key: string;
  /** The size in bytes. */
  size: number;
  /** 64 hex digits. */
  sha256: string;
  /** 128 hex digits. */
  sha512: string;
}

/** Which bytes count as settled: no upload is using them any more. */
export interface Settled {
  /**
   * False: only bytes of processes that are known to have died on this machine.
   * True: also bytes of unknown processes, if they are an hour old. Such a process may run on another machine, and the
   * bytes may belong to another database with the same storage.
   */
  byAge: boolean;
}

/** Receives and places files. A command then assigns them to releases. */
export interface Artifacts extends Omit<ByteStore, 'put' | 'keys'> {
  /**
   * Reads a stream to its end, into a file, and hashes it. Leaves no file if it fails.
   * @throws TooManyBytes, StorageUnavailable, or the error of the stream
   */
  receive(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Received>;
  /** Puts a received file under its key. It belongs to no release yet. */
  place(received: Received): Promise<void>;
  /** Removes a received file, unless it was placed. Never fails. */
  discard(received: Received): Promise<void>;
  /** The keys of settled bytes. The caller may remove those that belong to no release. */
  settledKeys(which: Settled): AsyncIterable<string>;
  /** Returns the number of files that interrupted uploads left behind. */
  countPartialUploads(which: Settled): Promise<number>;
  /** Names of processes that received files on this machine and have died. */
  deadOwners(): Promise<ReadonlySet<string>>;
  /**
   * Removes the files of interrupted uploads, and the lock files of dead processes. Remaining keys of these processes then
   * count as those of unknown processes.
   * @param swept the processes that were dead before their keys were listed
   * @returns the number of removed files
   */
  removePartialUploads(which: Settled, swept: ReadonlySet<string>): Promise<number>;
  close(): Promise<void>;
}

/** A stream is too long. */
export class TooManyBytes extends Error {
  override name = 'TooManyBytes';
}
/** The storage cannot be reached, is full, or refuses access: retry later. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}
/** There are no bytes under the key of a release. */
export class BytesMissing extends Error {
  override name = 'BytesMissing';
}
