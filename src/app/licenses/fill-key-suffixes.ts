import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import { defineCommand, type Executes } from '../command.ts';
import { YIELD_MS } from '../discarding.ts';

/** Rows of one command: about 15 ms of work. */
const FILLED_AT_ONCE = 500;

/**
 * Gives some licenses of earlier versions the hash of their key's suffix, which a search uses.
 * @returns where to go on; null at the end
 */
export const fillKeySuffixes = defineCommand({
  name: 'fill-key-suffixes',
  guarded: true,
  audit: { never: 'an index; no record changes' },
  run: ({ licenses }, { after }: { after: number }): Promise<number | null> =>
    licenses.fillKeySuffixes(after, FILLED_AT_ONCE),
});

/** Does it for all licenses, in short transactions. The next start goes on where this one was stopped. */
export async function fillAllKeySuffixes(
  execute: Executes<typeof fillKeySuffixes>,
  actor: Actor,
): Promise<void> {
  let after = await execute('fill-key-suffixes', { after: 0 }, actor);
  while (after !== null) {
    await setTimeout(YIELD_MS);
    after = await execute('fill-key-suffixes', { after }, actor);
  }
}
