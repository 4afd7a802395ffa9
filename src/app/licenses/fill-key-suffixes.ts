import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import { defineCommand, type Executes } from '../command.ts';
import { YIELD_MS } from '../discarding.ts';

/** Rows of one transaction: about 15 ms of work. */
const FILLED_AT_ONCE = 500;

/** Adds the key suffix to the search index for some licenses of earlier versions. @returns a cursor; null at the end */
export const fillKeySuffixes = defineCommand({
  name: 'fill-key-suffixes',
  guarded: true,
  audit: { never: 'an index; no record changes' },
  run: ({ licenses }, { after }: { after: number }): Promise<number | null> =>
    licenses.fillKeySuffixes(after, FILLED_AT_ONCE),
});

/** Does so for all licenses, in short transactions. Resumes at the next start if interrupted. */
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
