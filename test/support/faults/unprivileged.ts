import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whom root can run programs as; every Unix has it. */
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

/**
 * What a program is to be started through so that the permissions of files hold for it. Root goes on as root, without the right
 * to pass over them, for another user may have no way to the program itself.
 */
export const unprivileged: readonly string[] = isRoot
  ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all']
  : [];

/** Gives a folder, with all that is in it, to somebody else, as only root can. */
export function giveAway(folder: string): void {
  chownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { recursive: true }))
    chownSync(join(folder, String(name)), NOBODY, NOBODY);
}
