import type { Actor } from '../../domain/actor.ts';
import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { createWriteBehind } from '../write-behind.ts';

/** Stores when API keys were last used. */
export const touchApiKeys = defineCommand({
  name: 'touch-api-keys',
  guarded: true,
  audit: { never: 'when a key was last used' },
  run: async ({ apiKeys }, uses: { id: number; at: Datetime }[]): Promise<null> => {
    // In the same order on every node, so that two of them cannot deadlock.
    const sorted = uses.toSorted((one, other) => one.id - other.id);
    await Promise.all(sorted.map(({ id, at }) => apiKeys.touch(id, at)));
    return null;
  },
});

/** When each API key was last used. */
export interface LastAccess {
  note(apiKeyId: number): void;
  flush(): Promise<void>;
}

export function createLastAccess(
  execute: Executes<typeof touchApiKeys>,
  clock: Clock,
  actor: Actor,
): LastAccess {
  const { note, flush } = createWriteBehind<number, number>(
    (noted) =>
      execute(
        'touch-api-keys',
        noted.map(([id, ms]) => ({ id, at: toDatetime(ms) })),
        actor,
      ),
    (_earlier, later) => later,
  );
  return { note: (apiKeyId) => note(apiKeyId, clock()), flush };
}
