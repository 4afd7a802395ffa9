import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { readCreate, withDefaults } from '../../domain/fields.ts';
import { expiry, LICENSE_SOURCE } from '../../domain/licenses/license.ts';
import { NEVER } from '../../domain/licenses/license-bulk.ts';
import { NO_NOTES } from '../../domain/licenses/license-notes.ts';
import { problem } from '../../domain/problem.ts';
import { done } from '../../domain/refusal.ts';
import { TERMS_DEFAULTS } from '../../domain/terms.ts';
import type { StagedLicense } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { importShape } from './import-shape.ts';
import { BATCH_CHUNK, beginLicenseBatch } from './license-batch.ts';
import { EXISTS, type LineFault, REPEATED, type RejectedLine } from './rejected-lines.ts';

/** A line of a file: its values by parameter name, or the fault of an unreadable line. */
export interface ImportLine {
  line: number;
  values: Readonly<Record<string, unknown>> | { unreadable: LineFault };
}
export interface ImportReport {
  /** False if nothing was imported because of rejected lines. */
  done: boolean;
  read: number;
  imported: number;
  rejected: RejectedLine[];
  /** As `LicenseBatch.owesNotes`. */
  owesNotes: boolean;
}
export interface ImportOptions {
  /** Import the good lines even if others are bad; otherwise one bad line refuses the file. */
  skipBad: boolean;
  /** Values for empty cells, by parameter name. */
  defaults: Readonly<Record<string, unknown>>;
  onProgress?: (read: number) => void;
  /** Find repeated keys in memory instead of with one long query, which would block this process. Only for few lines. */
  keysInMemory?: boolean;
}

/** Imports any number of lines, all or none. Uses constant memory, except for the report and `keysInMemory`. */
export async function importLicenses(
  { store, execute, clock }: Services,
  lines: AsyncIterable<ImportLine>,
  options: ImportOptions,
  actor: Actor,
): Promise<ImportReport> {
  const batch = beginLicenseBatch(store.read, execute, actor);
  const rejected: RejectedLine[] = [];
  const repeated = options.keysInMemory ? rememberKeys() : null;
  let read = 0;
  try {
    let chunk: StagedLicense[] = [];
    const stageChunk = async () => {
      if (chunk.length === 0) return;
      const taken = await batch.add(chunk);
      repeated?.noteExisting(chunk, taken);
      rejected.push(...taken.map(because(EXISTS)));
      chunk = [];
    };
    for await (const line of lines) {
      read++;
      const license = readLine(line, options.defaults, toDatetime(clock()));
      if ('faults' in license) rejected.push(license);
      else if (!repeated?.isRepeated(license)) chunk.push(license);
      if (chunk.length < BATCH_CHUNK) continue;
      await stageChunk();
      options.onProgress?.(read);
    }
    await stageChunk();
    // One by one: too many arguments of one call overflow the stack.
    for (const line of repeated?.rejected() ?? (await batch.repeated()).map(because(REPEATED)))
      rejected.push(line);
    options.onProgress?.(read);
    rejected.sort((a, b) => a.line - b.line);
    if (rejected.length > 0 && !options.skipBad)
      return { done: false, read, imported: 0, rejected, owesNotes: false };

    const committed = await batch.commit({
      source: LICENSE_SOURCE.import,
      generatorId: null,
      skipConflicts: options.skipBad,
    });
    const taken = committed.ok
      ? committed.value.conflicts
      : committed.refusal.code === 'staged_keys_exist'
        ? committed.refusal.args.rows
        : [];
    const known = new Set(rejected.map(({ line }) => line));
    for (const line of taken) if (!known.has(line)) rejected.push(because(EXISTS)(line));
    rejected.sort((a, b) => a.line - b.line);
    const imported = committed.ok ? committed.value.created : 0;
    return { done: committed.ok, read, imported, rejected, owesNotes: batch.owesNotes() };
  } finally {
    await batch.discard();
  }
}

const because =
  (fault: LineFault) =>
  (line: number): RejectedLine => ({ line, faults: [fault] });

/** Finds the lines that repeat the key of an earlier line. */
function rememberKeys() {
  const keys = new Set<string>();
  const existing = new Set<string>();
  const lines: StagedLicense[] = [];
  return {
    isRepeated(license: StagedLicense): boolean {
      const isRepeated = keys.has(license.key);
      if (isRepeated) lines.push(license);
      else keys.add(license.key);
      return isRepeated;
    },
    /** A line that repeats the key of a license is reported like the first line with that key. @param taken rows */
    noteExisting(chunk: readonly StagedLicense[], taken: readonly number[]): void {
      const rows = new Set(taken);
      for (const { row, key } of chunk) if (rows.has(row)) existing.add(key);
    },
    rejected: (): RejectedLine[] =>
      lines.map(({ row, key }) => ({ line: row, faults: [existing.has(key) ? EXISTS : REPEATED] })),
  };
}

/** Returns the license in a line, or the faults of the line. */
export function readLine(
  { line, values }: ImportLine,
  defaults: ImportOptions['defaults'],
  now: string,
): StagedLicense | RejectedLine {
  if ('unreadable' in values) return { line, faults: [values.unreadable as LineFault] };
  const sent = Object.entries(values).filter(([, value]) => value !== '');
  const params: Record<string, unknown> = { ...defaults, ...Object.fromEntries(sent) };
  const never = params.expires_at === NEVER;
  const input = readCreate(importShape, { ...params, ...(never && { expires_at: null }) });
  if (!input.ok) {
    const faults = Object.entries(input.problems).map(([field, problem]) => ({ field, problem }));
    return { line, faults };
  }
  const { licenseKey: key, expiresAt: given, note, tags, meta, ...rest } = input.value;
  const expiresAt = never ? done(null) : expiry(given, rest.validFor, now);
  if (!expiresAt.ok) return { line, faults: [{ field: 'validFor', problem: problem('past_year_9999') }] };
  const notes = (note ?? tags ?? meta) ? withDefaults({ note, tags, meta }, NO_NOTES) : null;
  return { ...withDefaults(rest, TERMS_DEFAULTS), key, row: line, expiresAt: expiresAt.value, notes };
}
