import type { Failure } from './failure.ts';

/** How a command was asked to answer. */
export interface Style {
  json: boolean;
}

/** The answer of a command: as JSON in one line, or in words. */
export function answer({ json }: Style, value: unknown, words: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : words()}\n`);
}

/** Something to know besides the answer; on standard error, so that it never mixes with that. */
export function note({ json }: Style, message: string): void {
  process.stderr.write(`${json ? JSON.stringify({ note: { message } }) : message}\n`);
}

export function complain({ json }: Style, { code, message, details }: Failure): void {
  process.stderr.write(
    `${json ? JSON.stringify({ error: { code, message, ...details } }) : `error: ${message}`}\n`,
  );
}
