import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { Command } from '../command.ts';
import { YIELD_MS } from '../discarding.ts';
import type { Execute } from '../execute.ts';

/** Rows that one command works on; some 15 ms. */
const FILLED_AT_ONCE = 500;

/** Gives some licenses of before the endings that they are found by. Nothing that anybody sees of them changes. */
export const fillEndings: Command<{ after: number }, number | null> = ({ licenses }, { after }) =>
  licenses.fillKeySuffixes(after, FILLED_AT_ONCE);

/** Gives all of them theirs, in short transactions between which others get their turn. What is ended goes on the next time. */
export async function fillAllEndings(execute: Execute, actor: Actor): Promise<void> {
  let after = await execute('fill-endings', { after: 0 }, actor);
  while (after !== null) {
    await setTimeout(YIELD_MS);
    after = await execute('fill-endings', { after }, actor);
  }
}
