import type { Failure } from './failure.ts';
import type { Run } from './run.ts';

/** Writes the answer of a command: with `--json` as JSON in one line, else in words. */
export function answer(run: Run, value: unknown, words: () => string): void {
  run.io.stdout.write(`${isJson(run) ? JSON.stringify(value) : words()}\n`);
}

/** Writes something to know besides the answer to standard error, so that it never mixes with the answer. */
export function note(run: Run, message: string): void {
  run.io.stderr.write(`${isJson(run) ? JSON.stringify({ note: { message } }) : message}\n`);
}

export function complain(run: Run, { code, message, details }: Failure): void {
  run.io.stderr.write(
    `${isJson(run) ? JSON.stringify({ error: { code, message, ...details } }) : `error: ${message}`}\n`,
  );
}

export const isJson = ({ given }: Run): boolean => given.json === true;
