import type { Readable, Writable } from 'node:stream';
import type { Loaded } from '../config/config.ts';

type Output = Writable & { isTTY?: boolean };
type Signal = 'SIGINT' | 'SIGTERM';

/** What the command line uses of its process. `main.ts` passes `process`; tests pass their own streams and environment. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** The values of a command's flags as given, by their camelCase names. */
export type Given = Readonly<Record<string, unknown>>;

/** One run of the program. */
export interface Run {
  readonly io: Io;
  /** The flags of the command. Until the command line is parsed, the only value is whether `--json` is given. */
  given: Given;
  /** The exit code if nothing throws. */
  exitCode: number;
  /** The settings, once they are read. */
  settings?: Loaded;
  /** When progress was last drawn; 0 or absent if none is on the screen. */
  drawnAt?: number;
}
