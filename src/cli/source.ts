import { open } from 'node:fs/promises';
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

/** @param file a path; - for standard input */
export async function openSource(file: string, signal: AbortSignal): Promise<Source> {
  if (file === '-') return { stream: addAbortSignal(signal, process.stdin), size: null, part: () => null };
  const handle = await open(file);
  const about = await handle.stat();
  if (about.isDirectory()) {
    await handle.close();
    throw new Failure(3, 'eisdir', `${printable(file)}: this is a folder, not a file.`);
  }
  const stream = handle.createReadStream({ signal });
  return {
    stream,
    size: about.isFile() ? about.size : null,
    part: () => (about.size > 0 ? stream.bytesRead / about.size : null),
  };
}
