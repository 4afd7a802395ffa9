import { constants, openSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { Failure } from './failure.ts';
import { printable } from './table.ts';

/** A file to read, or standard input. */
export interface Source {
  stream: Readable;
  /** Bytes; null where that is not known. */
  size: number | null;
  /** How much of it has been read, 0 to 1; null where its size is not known. */
  part(): number | null;
}

/** What has a size, and an end that does not depend on another program. */
export interface FileSource extends Source {
  size: number;
}

/** @param file a path, also of a pipe; - for standard input */
export async function openSource(stdin: Readable, file: string, signal: AbortSignal): Promise<Source> {
  if (file === '-') return piped(stdin, signal);
  const about = await statOf(file);
  if (!about.isFIFO()) return openPath(file, signal);
  // Opened and read without waiting in a thread, which no signal would reach.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return piped(new Socket({ fd, readable: true, writable: false }), signal);
}

/**
 * @param file a path
 * @throws Failure for whatever is no file, which is not opened: that may take for ever
 */
export async function openFile(file: string, signal: AbortSignal): Promise<FileSource> {
  const source = file !== '-' && (await statOf(file)).isFile() ? await openPath(file, signal) : null;
  if (source?.size == null)
    throw new Failure(1, 'no_file', `${printable(file)} is no file: make one of it first.`);
  return { ...source, size: source.size };
}

async function statOf(file: string): Promise<Stats> {
  const about = await stat(file);
  if (about.isDirectory())
    throw new Failure(3, 'eisdir', `${printable(file)}: this is a folder, not a file.`);
  return about;
}

const piped = (stream: Readable, signal: AbortSignal): Source => ({
  stream: addAbortSignal(signal, stream),
  size: null,
  part: () => null,
});

async function openPath(file: string, signal: AbortSignal): Promise<Source> {
  const handle = await open(file);
  const about = await handle.stat();
  const stream = handle.createReadStream({ signal });
  return {
    stream,
    size: about.isFile() ? about.size : null,
    part: () => (about.size > 0 ? stream.bytesRead / about.size : null),
  };
}
