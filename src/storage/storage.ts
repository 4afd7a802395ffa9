/**
 * Where the bytes of releases live. Keys are made by `artifacts.ts`: one for each upload, of the form
 * `ab/abcdef…` (only lower-case hex digits, `.`, `-` and one `/`). Everything may throw StorageUnavailable.
 */
export interface ByteStore {
  /** Takes over a whole file of this machine; what is there when it resolves survives a power cut. */
  put(key: string, file: string): Promise<void>;
  /** @throws BytesMissing before the first byte, where there is nothing under the key */
  open(key: string, range: ByteRange): Promise<Bytes>;
  /** An address that anybody may fetch the bytes from, for a short time; null where they must pass through us. */
  signedUrl(key: string, as: Download): Promise<string | null>;
  /** Bytes under the key; null where there is nothing. */
  size(key: string): Promise<number | null>;
  /** Nothing happens where there is nothing. */
  remove(key: string): Promise<void>;
  /** All keys that there are, in any order, with the time in milliseconds since the epoch that they were put. */
  keys(): AsyncIterable<{ key: string; since: number }>;
}

/** Bytes to be read once. A chunk holds what it does until the next one is asked for. */
export interface Bytes extends AsyncIterable<Uint8Array> {
  /** Lets go of them; whoever has begun to read has it done at the end, and where he stops. */
  destroy(): void;
}

/** Positions of the first and the last byte, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** What a browser is told of the bytes that it gets. */
export interface Download {
  /** The whole value of the header. */
  contentDisposition: string;
  contentType: string;
}

/** Bytes that came in whole and rest on this machine, with nobody using them yet. */
export interface Received {
  /** Where they are. */
  file: string;
  /** Under which key `place` puts them. */
  key: string;
  /** How many. */
  size: number;
  /** 64 hex digits. */
  sha256: string;
  /** 128 hex digits. */
  sha512: string;
}

/** Whose bytes count as settled. */
export interface Settled {
  /**
   * False: those of processes that are known to have died on this machine, which is certain.
   * True: besides, those that are an hour old, of processes of which nothing is known. They may be on another machine,
   * and the bytes in the use of another database that was given the same storage.
   */
  byAge: boolean;
}

/** What the service does with bytes; they become those of a release by a command, and only then. */
export interface Artifacts extends Omit<ByteStore, 'put' | 'keys'> {
  /**
   * Takes a stream to its end, hashing on the way. Nothing stays where it fails.
   * @throws TooManyBytes, StorageUnavailable, or what the stream failed with
   */
  receive(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Received>;
  /** Puts received bytes under their key. From then on they are nobody's, until a release has them. */
  place(received: Received): Promise<void>;
  /** Throws away received bytes that were not placed; nothing happens to those that were. Never fails. */
  discard(received: Received): Promise<void>;
  /** Keys whose uploader is not at work any more: those that no release has are nobody's. */
  settledKeys(which: Settled): AsyncIterable<string>;
  /** How many files there are of uploads that ended half way. */
  countPartialUploads(which: Settled): Promise<number>;
  /** Names of processes that took in files on this machine and ended without order. */
  deadOwners(): Promise<ReadonlySet<string>>;
  /**
   * Removes these files, and what processes have left of themselves: from then on their keys are those of nobody known.
   * @param swept those who were dead already when their keys were asked for
   * @returns how many files
   */
  removePartialUploads(which: Settled, swept: ReadonlySet<string>): Promise<number>;
  close(): Promise<void>;
}

/** A stream is longer than it may be. */
export class TooManyBytes extends Error {
  override name = 'TooManyBytes';
}
/** The storage cannot be reached, is full, or refuses us: try again later. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}
/** There are no bytes under a key that a release names, or named a moment ago. */
export class BytesMissing extends Error {
  override name = 'BytesMissing';
}
