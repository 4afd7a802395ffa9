import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/program.ts';

export type Engine = 'sqlite' | 'postgres';

/** Returns the title of a test file in the output of a run. */
export const titleOf = (file: string, engine: Engine): string =>
  engine === 'postgres' ? `${file} on PostgreSQL` : file;

const USAGE = /^processor time: ([\d.]+) s (.+)$/;

/** Returns the message that tells the reporter how much processor time a file has used. */
export const usageMessage = (title: string, seconds: number): string =>
  `processor time: ${Math.max(0, seconds).toFixed(2)} s ${title}`;

/** Parses a message of `usageMessage`; null for any other. */
export function usageOf(message: string): { title: string; seconds: number } | null {
  const [, seconds, title] = USAGE.exec(message) ?? [];
  return title === undefined ? null : { title, seconds: Number(seconds) };
}

/** The file with the seconds that each test file took in its last run. */
const FILE = join(ROOT, 'node_modules/.cache/test-times.json');

function lastTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return {};
  }
}

export function saveTimes(times: ReadonlyMap<string, number>): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify({ ...lastTimes(), ...Object.fromEntries(times) }));
}

/** Matches the files in which most tests start programs. */
const SLOW = /^test\/(abuse|bench|cli|crash|engine|faults|process|programs|storage|wire|wordpress)\//;

/**
 * Sorts test files by their last times, slowest first, so that no slow file is left for the end of a run. Files without a time
 * come first, and of these the ones that match SLOW.
 */
export function slowestFirst(files: readonly string[], engine: Engine): string[] {
  const times = lastTimes();
  const guess = (file: string) => (SLOW.test(file) ? Number.POSITIVE_INFINITY : Number.MAX_VALUE);
  const timeOf = (file: string) => times[titleOf(file, engine)] ?? guess(file);
  return files.toSorted((a, b) => (timeOf(a) === timeOf(b) ? a.localeCompare(b) : timeOf(b) - timeOf(a)));
}
