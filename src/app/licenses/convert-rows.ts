import { setTimeout } from 'node:timers/promises';
import { SYSTEM } from '../../domain/actor.ts';
import { CONVERSIONS, type Conversion, type Converted } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';
import { YIELD_MS } from '../discarding.ts';

/** Rows of one transaction: about 15 ms of work. */
const CONVERTED_AT_ONCE = 500;

/** Converts some rows of earlier versions to the form that this version writes. */
export const convertRows = defineCommand({
  name: 'convert-rows',
  guarded: true,
  audit: { never: 'records are stored in another form; none changes' },
  run: ({ licenses }, { conversion, after }: { conversion: Conversion; after: number }): Promise<Converted> =>
    licenses.convert(conversion, after, CONVERTED_AT_ONCE),
});

/**
 * Converts all rows of earlier versions, in short transactions. Resumes at the next start if interrupted.
 * @returns how many
 */
export async function convertAllRows(execute: Executes<typeof convertRows>): Promise<number> {
  let count = 0;
  for (const conversion of CONVERSIONS) {
    for (let after: number | null = 0; after !== null; await setTimeout(YIELD_MS)) {
      const { converted, next }: Converted = await execute('convert-rows', { conversion, after }, SYSTEM);
      count += converted;
      after = next;
    }
  }
  return count;
}
