import { constants, openSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { Failure } from './failure.ts';
import { printable } from './table.ts';

/** A file to read, or standard input. */
export interface Source {
  stream: Readable;
  /** The fraction that has been read, 0 to 1; null if the size is unknown. */
  part(): number | null;
}

/** A regular file, with its bytes. */
export type FileSource = Source & { size: number };

/** Opens a file or standard input. @param file the path of a file or a named pipe; - for standard input */
export async function openSource(stdin: Readable, file: string, signal: AbortSignal): Promise<Source> {
  if (file === '-') return piped(stdin, signal);
  if (!(await statOf(file)).isFIFO()) return openPath(file, signal);
  // Without O_NONBLOCK, Node would open and read the pipe in a thread that no signal can interrupt.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return piped(new Socket({ fd, readable: true, writable: false }), signal);
}

/** Opens a regular file. @throws Failure for anything else, because opening it may block forever */
export async function openFile(file: string, signal: AbortSignal): Promise<FileSource> {
  if (file !== '-' && (await statOf(file)).isFile()) return openPath(file, signal);
  throw new Failure(
    1,
    'no_file',
    `${printable(file)} is not a regular file. Copy its content to a file first.`,
  );
}

async function statOf(file: string): Promise<Stats> {
  const stats = await stat(file);
  if (stats.isDirectory())
    throw new Failure(3, 'eisdir', `${printable(file)}: this is a folder, not a file.`);
  return stats;
}

const piped = (stream: Readable, signal: AbortSignal): Source => ({
  stream: addAbortSignal(signal, stream),
  part: () => null,
});

async function openPath(file: string, signal: AbortSignal): Promise<FileSource> {
  const handle = await open(file);
  const { size } = await handle.stat();
  const stream = handle.createReadStream({ signal });
  return { stream, size, part: () => (size > 0 ? stream.bytesRead / size : null) };
}
