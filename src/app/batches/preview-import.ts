import { setImmediate } from 'node:timers/promises';
import { toDatetime } from '../../domain/datetime.ts';
import type { StagedLicense } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { type ImportLine, type ImportOptions, readLine } from './import-licenses.ts';
import { collectRejected, EXISTS, REPEATED, type Rejected, type RejectedLine } from './rejected-lines.ts';

/** The result of an import that writes nothing. */
export interface ImportPreview {
  /** Lines read, and how many of them would become licenses. */
  read: number;
  good: number;
  rejected: Rejected;
  /** The first lines. */
  first: PreviewedLine[];
}
export interface PreviewedLine {
  line: number;
  /** Null for a rejected line. */
  license: StagedLicense | null;
}

const FIRST = 10;
/** Lines checked between two yields to the event loop: a few milliseconds of work. */
const CHUNK = 200;

/** Reads lines like an import, but writes nothing. Keeps all keys in memory, so the caller must limit the lines. */
export async function previewImport(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  lines: AsyncIterable<ImportLine>,
  { defaults, onProgress }: Pick<ImportOptions, 'defaults' | 'onProgress'>,
): Promise<ImportPreview> {
  const rejected = collectRejected();
  const first: PreviewedLine[] = [];
  const keys = new Set<string>();
  let read = 0;
  const reject = (line: RejectedLine) => {
    rejected.add(line);
    const shown = first.find((one) => one.line === line.line);
    if (shown) shown.license = null;
  };
  const check = async (chunk: readonly (StagedLicense | RejectedLine)[]) => {
    const chunkKeys = chunk.flatMap((one) => ('key' in one ? one.key : []));
    const existing = chunkKeys.length === 0 ? new Set() : await store.read.licenses.existing(chunkKeys);
    for (const one of chunk) {
      if ('faults' in one) reject(one);
      else if (existing.has(one.key)) reject({ line: one.row, faults: [EXISTS] });
      else if (keys.has(one.key)) reject({ line: one.row, faults: [REPEATED] });
      else keys.add(one.key);
    }
    await setImmediate();
    onProgress?.(read);
  };

  let chunk: (StagedLicense | RejectedLine)[] = [];
  for await (const line of lines) {
    read++;
    const one = readLine(line, defaults, toDatetime(clock()));
    if (first.length < FIRST) first.push({ line: line.line, license: 'faults' in one ? null : one });
    chunk.push(one);
    if (chunk.length < CHUNK) continue;
    await check(chunk);
    chunk = [];
  }
  await check(chunk);
  return { read, good: read - rejected.total(), rejected, first };
}
