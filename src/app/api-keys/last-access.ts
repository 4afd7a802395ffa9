import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { SYSTEM } from '../people/set-up.ts';
import { createWriteBehind } from '../write-behind.ts';

/** Stores when API keys were last used. */
export const touchApiKeys = defineCommand({
  name: 'touch-api-keys',
  guarded: true,
  audit: { never: 'when a key was last used' },
  run: async ({ apiKeys }, uses: { id: number; at: Datetime }[]): Promise<null> => {
    // Every node locks the rows in the same order, so that two nodes cannot deadlock.
    const sorted = uses.toSorted((one, other) => one.id - other.id);
    await Promise.all(sorted.map(({ id, at }) => apiKeys.touch(id, at)));
    return null;
  },
});

/** The last use of each API key. */
export type LastAccess = ReturnType<typeof createLastAccess>;

export function createLastAccess(execute: Executes<typeof touchApiKeys>, clock: Clock) {
  const write = (uses: readonly (readonly [number, number])[]) => {
    const stored = uses.map(([id, ms]) => ({ id, at: toDatetime(ms) }));
    return execute('touch-api-keys', stored, SYSTEM);
  };
  const { note, flush } = createWriteBehind(write, (_earlier, later) => later);
  return { note: (apiKeyId: number) => note(apiKeyId, clock()), flush };
}
