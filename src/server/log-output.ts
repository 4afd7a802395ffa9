import SonicBoom from 'sonic-boom';

/**
 * Bytes of one write. Linux writes up to 4,096 bytes (PIPE_BUF) to a pipe as one piece, so lines of several processes never
 * mix.
 */
const WRITE_BYTES = 4_096;
/** Lines are written together when no further one fits into a write, or after this many milliseconds. */
const BATCH_MS = 100;
/** Bytes kept for a slow reader or a full disk. Further lines are dropped. */
const KEPT_BYTES = 1024 ** 2;
/** At the end of the process, a slow reader gets this many retries, 100 milliseconds apart. */
const RETRIES_AT_EXIT = 10;

export interface LogOutput {
  write(line: string): unknown;
}

/**
 * Holds lines back until `release` or the end of the process, so that the text that a start prints comes first and in one
 * piece.
 */
export function holdBack(output: LogOutput): LogOutput & { release(): void } {
  let held: string[] | null = [];
  const release = () => {
    for (const line of held ?? []) output.write(line);
    held = null;
  };
  // Before the output's own listener, which closes it.
  process.prependListener('exit', release);
  return { release, write: (line) => (held ? held.push(line) : output.write(line)) };
}

/**
 * Writes log lines to standard output in batches. A log must never stop the service, so lines that cannot be written now
 * (the disk is full, the reader is slow or gone) are kept up to a limit, and written with the next batch.
 */
export function createLogOutput(): LogOutput {
  let retries = 0;
  const output = new SonicBoom.SonicBoom({
    // Reading process.stdout makes a pipe non-blocking: writing to a full pipe fails with EAGAIN instead of waiting.
    fd: process.stdout.fd,
    sync: true,
    // In text mode, each write copies the batch to count its bytes.
    contentMode: 'buffer',
    maxWrite: WRITE_BYTES,
    // With 0, `flush` would do nothing.
    minLength: 1,
    maxLength: KEPT_BYTES,
    retryEAGAIN: () => retries-- > 0,
  });
  output.on('error', () => {});
  // In buffer mode `write` takes only buffers, which its types do not say.
  const write = output.write.bind(output) as unknown as (lines: Buffer) => boolean;
  // Make one buffer for many lines: a buffer per line would cost as much as the line itself.
  let batch = '';
  let size = 0;
  const writeBatch = () => {
    if (size > 0) write(Buffer.from(batch));
    batch = '';
    size = 0;
  };
  setInterval(() => {
    writeBatch();
    output.flush();
  }, BATCH_MS).unref();
  // Do not use flushSync: it retries endlessly on a full disk, or when the reader is gone.
  process.on('exit', () => {
    retries = RETRIES_AT_EXIT;
    writeBatch();
    output.end();
  });
  return {
    write(line) {
      const bytes = Buffer.byteLength(line);
      if (size + bytes > WRITE_BYTES) writeBatch();
      batch += line;
      size += bytes;
    },
  };
}
