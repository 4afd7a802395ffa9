import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { basename, extname } from 'node:path';
import type { Services } from '../../app/execute.ts';
import type { Upload } from '../../app/releases/releases.ts';
import { FILE_MAX, fileName, releaseShape } from '../../domain/releases/release.ts';
import { inWords } from '../../words/problems.ts';
import { Failure, fileTooLarge, invalidValues } from '../failure.ts';
import { note } from '../output.ts';
import { showProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { type FileSource, openFile, openSource } from '../source.ts';
import { printable } from '../table.ts';

/** Maximum bytes to read: more than the longest changelog has. */
const CHANGELOG_BYTES = 1024 ** 2;

/**
 * Reads the text of a file; null if it is empty.
 * @param file a path; - for standard input
 * @throws Failure that names the flag
 */
export async function readChangelog({ io }: Run, file: string, signal: AbortSignal): Promise<string | null> {
  const { stream } = await openSource(io.stdin, file, signal);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size > CHANGELOG_BYTES) throw invalidValues({ changelog: 'names a file that is too long.' });
  }
  const bytes = Buffer.concat(parts);
  if (!isUtf8(bytes)) throw invalidValues({ changelog: 'must name a text file in UTF-8.' });
  const text = releaseShape.changelog.field.read(bytes.toString('utf8'));
  if (!text.ok) throw invalidValues({ changelog: inWords(text.problem) });
  return text.value === '' ? null : text.value;
}

/** The file of a new release. */
interface ReleaseSource extends FileSource {
  name: string;
}

/**
 * Opens the file of a release, and closes it after `use`.
 * @param name the file name of downloads; null for the name of `file`
 * @throws Failure if it cannot be the file of a release
 */
export async function withReleaseFile<T>(
  file: string | undefined,
  name: string | null,
  signal: AbortSignal,
  use: (source: ReleaseSource | null) => Promise<T>,
): Promise<T> {
  if (file === undefined) return use(null);
  const source = await openFile(file, signal);
  try {
    const { size } = source;
    if (size === 0) throw new Failure(1, 'file_empty', `${printable(file)} is empty.`);
    if (size > FILE_MAX) throw fileTooLarge();
    const checked = fileName.read(name ?? basename(file));
    if (!checked.ok)
      throw invalidValues({ file_name: `is required: the name of the file ${inWords(checked.problem)}` });
    return await use({ ...source, name: checked.value });
  } finally {
    source.stream.destroy();
  }
}

/** The files to look for: one may be lost. */
const LOOKED_FOR = 3;

/** Writes a note if the storage has none of the newest files: the server may look for this file elsewhere. */
async function noteOtherStorage(run: Run, { artifacts, store }: Services): Promise<void> {
  const newest = (await store.read.artifacts.list()).slice(-LOOKED_FOR);
  // A storage that permits only writing does not say. That must not keep a release from being published.
  const sizes = await Promise.all(newest.map(({ key }) => artifacts.size(key).catch(() => 0)));
  if (newest.length > 0 && sizes.every((size) => size === null))
    note(
      run,
      'The files of earlier releases are not in this storage. If the server keeps them elsewhere, nobody can download ' +
        'this one: give this command the LATCHKEY_S3_… settings of the server.',
    );
}

/** Receives a whole file, with a progress bar. */
export async function receiveFile(
  run: Run,
  services: Services,
  { stream, name, size, part }: ReleaseSource,
): Promise<Upload> {
  await noteOtherStorage(run, services);
  const { artifacts } = services;
  async function* watched(): AsyncGenerator<Buffer> {
    let taken = 0;
    for await (const chunk of stream) {
      taken += chunk.length;
      showProgress(run, 'bytes', part(), taken);
      yield chunk;
    }
  }
  const received = await artifacts.receive(watched(), FILE_MAX);
  if (received.size === size) return { ...received, name, type: mediaType(name) };
  await artifacts.discard(received);
  const message = 'The file was changed while it was read. Publish it again when it is complete.';
  throw new Failure(1, 'file_changed', message);
}

/** Returns the same services, except that the signal aborts placing a file, which may take minutes. */
export function stoppable<S extends Services>(services: S, signal: AbortSignal): S {
  const { artifacts } = services;
  return {
    ...services,
    artifacts: {
      ...artifacts,
      async place(received) {
        signal.throwIfAborted();
        const stopped = once(signal, 'abort').then(() => signal.throwIfAborted());
        await Promise.race([artifacts.place(received), stopped]);
      },
    },
  };
}

/** Media types by file extension, from https://www.iana.org/assignments/media-types and common use. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.deb': 'application/vnd.debian.binary-package',
  '.dmg': 'application/x-apple-diskimage',
  '.exe': 'application/vnd.microsoft.portable-executable',
  '.gz': 'application/gzip',
  '.jar': 'application/java-archive',
  '.msi': 'application/x-msi',
  '.tgz': 'application/gzip',
  '.zip': 'application/zip',
};
const mediaType = (name: string): string =>
  MEDIA_TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream';
