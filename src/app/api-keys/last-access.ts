import { SYSTEM } from '../../domain/actor.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { createWriteBehind } from '../write-behind.ts';

interface Use {
  id: number;
  at: Datetime;
  /** SHA-256 of the consumer key if the database still has the plugin's hash of the key; else null. */
  keyHash: Uint8Array | null;
}

/** Stores when API keys were last used. Replaces the plugin's hash of moved keys with the SHA-256. */
export const touchApiKeys = defineCommand({
  name: 'touch-api-keys',
  guarded: true,
  audit: { never: 'when a key was last used, and how its hash is made' },
  run: async ({ apiKeys }, uses: Use[]): Promise<null> => {
    // Every node locks the rows in the same order, so that two nodes cannot deadlock.
    const sorted = uses.toSorted((one, other) => one.id - other.id);
    await Promise.all(
      sorted.flatMap(({ id, at, keyHash }) => [
        apiKeys.touch(id, at),
        ...(keyHash ? [apiKeys.replacePluginHash(id, keyHash)] : []),
      ]),
    );
    return null;
  },
});

/** Collects the last use of each API key in memory until the next flush. */
export type LastAccess = ReturnType<typeof createLastAccess>;

export function createLastAccess(execute: Executes<typeof touchApiKeys>, clock: Clock) {
  type Noted = { ms: number; keyHash: Uint8Array | null };
  const write = (uses: readonly (readonly [number, Noted])[]) => {
    const stored = uses.map(([id, { ms, keyHash }]) => ({ id, at: toDatetime(ms), keyHash }));
    return execute('touch-api-keys', stored, SYSTEM);
  };
  const { note, flush } = createWriteBehind(write, (_earlier, later) => later);
  return {
    /** @param keyHash SHA-256 of the consumer key */
    note: ({ id, hashedBy }: ApiKey, keyHash: Uint8Array) =>
      note(id, { ms: clock(), keyHash: hashedBy === 'sha256' ? null : keyHash }),
    flush,
  };
}
