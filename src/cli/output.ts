import { commandName } from '../config/command-name.ts';
import type { Listed } from '../store/store.ts';
import type { Failure } from './failure.ts';
import type { Paging } from './flags.ts';
import { endProgress } from './progress.ts';
import type { Run } from './run.ts';
import { type Columns, grouped, printableJson, printableLines, table } from './table.ts';

/** A text, or its lines. */
type Words = () => string | readonly string[];

/**
 * Writes the answer of a command: with `--json` as one line of JSON, otherwise as text. Escapes control characters, because
 * text from clients, the database or a backup must not control the terminal.
 */
export function answer(run: Run, value: unknown, words: Words): void {
  endProgress(run);
  run.io.stdout.write(said(run, value, words));
}

const said = (run: Run, value: unknown, words: Words): string =>
  `${isJson(run) ? printableJson(value) : printableLines([words()].flat().join('\n'))}\n`;

/**
 * Answers with a page of records, and says which part of all it is.
 * @param what the plural of the noun, and the name of the list in JSON
 */
export function answerPage<T>(
  run: Run,
  what: string,
  { items, total }: Listed<T>,
  { page, limit, offset }: Paging,
  present: (item: T) => unknown,
  columns: Columns<T>,
): void {
  answer(run, { [what]: items.map(present), total, page, limit }, () => {
    if (total === 0) return `No ${what}.`;
    if (items.length === 0) return `This page is empty; there are ${grouped(total)} ${what} in total.`;
    return `${table(items, columns)}\n${grouped(offset + 1)} to ${grouped(offset + items.length)} of ${grouped(total)}`;
  });
}

/**
 * Answers with the newest records, and says how to get the next page.
 * @param what the plural of the noun, and the name of the list in JSON
 */
export function answerNewest<T>(
  run: Run,
  what: string,
  { items, next }: { items: readonly T[]; next: number | null },
  present: (item: T) => unknown,
  columns: Columns<T>,
): void {
  answer(run, { [what]: items.map(present), next_before: next }, () => {
    if (items.length === 0) return `No ${what}.`;
    const more = next === null ? '' : `\nFor more, add --before ${next}`;
    return table(items, columns) + more;
  });
}

/** Writes a note to standard error, so that it never mixes with the answer. */
export function note(run: Run, message: string): void {
  endProgress(run);
  run.io.stderr.write(said(run, { note: { message } }, () => explained(run, message)));
}

export function complain(run: Run, { code, message, details }: Failure): void {
  run.io.stderr.write(
    said(run, { error: { code, message, ...details } }, () => explained(run, `error: ${message}`)),
  );
}

/** Adds how to run a command that the lines name, if the program is not run as just `latchkey`. */
export const explained = (run: Run, ...lines: readonly string[]): readonly string[] =>
  /latchkey [a-z]/.test(lines.join('\n')) ? [...lines, ...explanation(run)] : lines;

export function explanation({ io }: Run): string[] {
  const command = commandName(io.env);
  return command === 'latchkey' ? [] : [`Here, write "${command}" for "latchkey".`];
}

export const isJson = ({ given }: Run): boolean => given.json === true;
