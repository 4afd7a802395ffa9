import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
/** A reader that is behind gets this many milliseconds to catch up, then lines are dropped. */
const PATIENCE_MS = 1_000;
/** Milliseconds for which lines are gathered at most. */
const GATHER_MS = 5;
/** Characters that are gathered at most before they are written. */
const GATHERED_MAX = 64 * 1024;

/**
 * Log lines to standard output, those of some milliseconds in one go. A line that cannot be written (the disk
 * is full, the reader is gone) is dropped: a log must never stop the service. The logger's own output would retry
 * without end.
 */
export function createLogOutput(write: typeof writeSync = writeSync): {
  write(line: string): void;
  /** Writes what is gathered, now. */
  flush(): void;
} {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let gathered = '';
  const flush = () => {
    let rest = Buffer.from(gathered);
    gathered = '';
    const until = performance.now() + PATIENCE_MS;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(write(STANDARD_OUTPUT, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return;
        Atomics.wait(pause, 0, 0, 1);
      }
    }
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (gathered === '') setTimeout(flush, GATHER_MS);
      gathered += line;
      if (gathered.length > GATHERED_MAX) flush();
    },
    flush,
  };
}
