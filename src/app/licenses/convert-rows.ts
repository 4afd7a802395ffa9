import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import { CONVERSIONS, type Conversion } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';
import { YIELD_MS } from '../discarding.ts';

/** Rows of one transaction: about 15 ms of work. */
const CONVERTED_AT_ONCE = 500;

/** Gives some rows of earlier versions the form that this one writes. @returns a cursor; null at the end */
export const convertRows = defineCommand({
  name: 'convert-rows',
  guarded: true,
  audit: { never: 'how a record rests; no record changes' },
  run: (
    { licenses },
    { conversion, after }: { conversion: Conversion; after: number },
  ): Promise<number | null> => licenses.convert(conversion, after, CONVERTED_AT_ONCE),
});

/** Does so for all rows, in short transactions. Resumes at the next start if interrupted. */
export async function convertAllRows(execute: Executes<typeof convertRows>, actor: Actor): Promise<void> {
  for (const conversion of CONVERSIONS) {
    let after = await execute('convert-rows', { conversion, after: 0 }, actor);
    while (after !== null) {
      await setTimeout(YIELD_MS);
      after = await execute('convert-rows', { conversion, after }, actor);
    }
  }
}
