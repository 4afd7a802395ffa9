import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whom root can run programs as; every Unix has it. */
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

/** What a program is to be started through so that permissions hold for it, as they do not for root. */
export const unprivileged: readonly string[] = isRoot
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  : [];

/** Makes a folder, with all that is in it, belong to whom the program then runs as. */
export function handOver(folder: string): void {
  if (!isRoot) return;
  chownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { recursive: true }))
    chownSync(join(folder, String(name)), NOBODY, NOBODY);
}
