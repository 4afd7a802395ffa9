import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
/** A reader that is behind gets this many milliseconds to catch up, then lines are dropped, until it takes some again. */
const PATIENCE_MS = 1_000;
/** Milliseconds for which lines are gathered at most. */
const GATHER_MS = 5;
const NEWLINE = 0x0a;

export interface LogOutput {
  write(line: string): void;
  /** Writes what is gathered, now. */
  flush(): void;
}

/**
 * Log lines to standard output, those of some milliseconds in one go. A line that cannot be written (the disk is full,
 * the reader is gone) is dropped: a log must never stop the service. The logger's own output would retry without end.
 * Of a line that got there in part the rest is dropped, and the next one begins on a line of its own.
 * @param piece bytes that are written at once at most, but for a line that is longer
 */
export function createLogOutput({ piece = 64 * 1024, write = writeSync } = {}): LogOutput {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let gathered = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStuck = false;
  let isBroken = false;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (bytes === 0) return;
    let rest = Buffer.from(isBroken ? `\n${gathered}` : gathered);
    gathered = '';
    bytes = 0;
    // Waiting stops everything else: it is not done again and again for a reader that takes nothing.
    const until = performance.now() + (isStuck ? 0 : PATIENCE_MS);
    while (rest.length > 0) {
      try {
        const written = write(STANDARD_OUTPUT, rest);
        if (written > 0) isBroken = rest[written - 1] !== NEWLINE;
        rest = rest.subarray(written);
        isStuck = false;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        isStuck = performance.now() >= until;
        if (isStuck) return;
        Atomics.wait(pause, 0, 0, 1);
      }
    }
  };
  process.on('exit', flush);
  return {
    write(line) {
      const size = Buffer.byteLength(line);
      if (bytes + size > piece) flush();
      timer ??= setTimeout(flush, GATHER_MS);
      gathered += line;
      bytes += size;
    },
    flush,
  };
}
