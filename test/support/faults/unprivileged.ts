import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The id of a user and group that exist on every Unix. */
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

/**
 * The command through which a program must start so that file permissions apply to it. Root stays root but loses the
 * capabilities that bypass permissions: another user may have no access to the program itself.
 */
export const unprivileged: readonly string[] = isRoot
  ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all']
  : [];

/** Gives a folder and its content to another user, which only root can do. */
export function giveAway(folder: string): void {
  chownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { recursive: true }))
    chownSync(join(folder, String(name)), NOBODY, NOBODY);
}
