import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const [assignments, rest] = scripts.latchkey.split('exec node ');
const words: string[] = rest.split(' ');

/** The file that the program starts with: that of the bundle which `test/run.ts` has made, or of the source. */
export const START = process.env.LATCHKEY_TEST_PROGRAM ?? join(ROOT, words.at(-1) as string);
/** What the runtime is given to run the program as npm does: the flags of the script `latchkey`, and `START`. */
export const PROGRAM: readonly string[] = words.with(-1, START);
/** Variables that the script sets. */
export const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  assignments
    .split(' ')
    .filter((one: string) => one !== '')
    .map((one: string) => one.split('=')),
);
