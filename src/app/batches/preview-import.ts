import { setImmediate } from 'node:timers/promises';
import { toDatetime } from '../../domain/datetime.ts';
import type { StagedLicense } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { type ImportLine, type ImportOptions, readLine } from './import-licenses.ts';
import { EXISTS, gatherRejected, REPEATED, type Rejected, type RejectedLine } from './rejected-lines.ts';

/** What an import of the same lines would do. */
export interface ImportPreview {
  /** Lines read, and those of them that would become licenses. */
  read: number;
  good: number;
  /** The lines that would not, by line. */
  rejected: Rejected;
  /** The first lines, as they would be read. */
  first: PreviewedLine[];
}
export interface PreviewedLine {
  line: number;
  /** Null where the line is rejected. */
  license: StagedLicense | null;
}

const FIRST = 10;
/** Lines looked at between which other requests get their turn; some milliseconds. */
const CHUNK = 200;

/**
 * Reads lines as an import does, and writes nothing. Holds the key of every good line, so the lines must be bounded.
 * @throws what reading the lines throws
 */
export async function previewImport(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  lines: AsyncIterable<ImportLine>,
  { defaults, onProgress }: Pick<ImportOptions, 'defaults' | 'onProgress'>,
): Promise<ImportPreview> {
  const rejected = gatherRejected();
  const first: PreviewedLine[] = [];
  const keys = new Set<string>();
  let read = 0;
  const reject = (line: RejectedLine) => {
    rejected.add(line);
    const shown = first.find((one) => one.line === line.line);
    if (shown) shown.license = null;
  };
  const look = async (chunk: readonly (StagedLicense | RejectedLine)[]) => {
    const asked = chunk.flatMap((one) => ('key' in one ? one.key : []));
    const existing = asked.length === 0 ? new Set() : await store.read.licenses.existing(asked);
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
    await look(chunk);
    chunk = [];
  }
  await look(chunk);
  return { read, good: read - rejected.total(), rejected, first };
}
