import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { readCreate } from '../../domain/fields.ts';
import { expiry, LICENSE_SOURCE, licenseShape } from '../../domain/license.ts';
import { type Problems, problem } from '../../domain/problem.ts';
import { done, type Refusal } from '../../domain/refusal.ts';
import type { StagedLicense } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { BATCH_CHUNK, beginLicenseBatch, type LicenseBatch } from './license-batch.ts';
import { EXISTS, type LineFault, REPEATED, type RejectedLine } from './rejected-lines.ts';

/** One line of a file: its values by parameter name, or what is wrong with the line itself. */
export interface ImportLine {
  line: number;
  values: Readonly<Record<string, unknown>> | { unreadable: LineFault };
}
export interface ImportReport {
  /** False where lines were rejected and nothing was imported for it. */
  done: boolean;
  read: number;
  imported: number;
  rejected: RejectedLine[];
}
export interface ImportOptions {
  /** Import the good lines of a file that has bad ones; otherwise one bad line refuses the file. */
  skipBad: boolean;
  /** Values for what a line leaves empty, by parameter name. */
  defaults: Readonly<Record<string, unknown>>;
  onProgress?: (read: number) => void;
  /**
   * Lines are so few that their keys may be in memory: the one long query that finds those that repeat, at which nobody
   * else is answered by this process, is not needed then.
   */
  keysInMemory?: boolean;
}

/**
 * As `expires_at` of a line: the license never expires, though it has a `valid_for`, as one whose expiry was cleared.
 * An empty `expires_at` would be reckoned from `valid_for`.
 */
export const NEVER = 'never';

/** Imports licenses from lines of any number, at constant memory but for the report and what options ask for: all of them or none. */
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
      const taken = await stage(batch, chunk);
      repeated?.exist(chunk, taken);
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
    rejected.push(...(repeated ? repeated.rejected() : (await batch.repeated()).map(because(REPEATED))));
    options.onProgress?.(read);
    rejected.sort((a, b) => a.line - b.line);
    if (rejected.length > 0 && !options.skipBad) return { done: false, read, imported: 0, rejected };

    const committed = await batch.commit({
      source: LICENSE_SOURCE.import,
      generatorId: null,
      skipConflicts: options.skipBad,
    });
    const taken = committed.ok ? committed.value.conflicts : rowsOf(committed.refusal);
    const known = new Set(rejected.map(({ line }) => line));
    rejected.push(...taken.filter((line) => !known.has(line)).map(because(EXISTS)));
    rejected.sort((a, b) => a.line - b.line);
    return { done: committed.ok, read, imported: committed.ok ? committed.value.created : 0, rejected };
  } finally {
    await batch.discard();
  }
}

const rowsOf = (refusal: Refusal): readonly number[] =>
  refusal.code === 'staged_keys_exist' ? refusal.args.rows : [];

const because =
  (fault: LineFault) =>
  (line: number): RejectedLine => ({ line, faults: [fault] });

/** The lines whose key a license has already. */
const stage = async (batch: LicenseBatch, licenses: StagedLicense[]): Promise<number[]> =>
  licenses.length === 0 ? [] : batch.add(licenses);

/** Finds the lines whose key stands in an earlier one. */
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
    /** @param taken the lines of some whose key a license has already: those that repeat such a one are told the same */
    exist(some: readonly StagedLicense[], taken: readonly number[]): void {
      const rows = new Set(taken);
      for (const { row, key } of some) if (rows.has(row)) existing.add(key);
    },
    rejected: (): RejectedLine[] =>
      lines.map(({ row, key }) => ({ line: row, faults: [existing.has(key) ? EXISTS : REPEATED] })),
  };
}

const faultsOf = (problems: Problems): LineFault[] =>
  Object.entries(problems).map(([field, problem]) => ({ field, problem }));

/** What a line makes: a license, or a reason why not. */
export function readLine(
  { line, values }: ImportLine,
  defaults: ImportOptions['defaults'],
  now: string,
): StagedLicense | RejectedLine {
  if ('unreadable' in values) return { line, faults: [values.unreadable as LineFault] };
  const sent = Object.entries(values).filter(([, value]) => value !== '');
  const params: Record<string, unknown> = { ...defaults, ...Object.fromEntries(sent) };
  const never = params.expires_at === NEVER;
  const input = readCreate(licenseShape, { ...params, ...(never && { expires_at: null }) });
  if (!input.ok) return { line, faults: faultsOf(input.problems) };
  const { licenseKey: key, expiresAt: given, ...rest } = input.value;
  const expiresAt = never ? done(null) : expiry(given, rest.validFor, now);
  if (!expiresAt.ok) return { line, faults: [{ field: 'validFor', problem: problem('past_year_9999') }] };
  return { ...rest, key, row: line, expiresAt: expiresAt.value };
}
