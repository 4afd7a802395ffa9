import type { Actor } from '../domain/actor.ts';
import { type Datetime, toDatetime } from '../domain/datetime.ts';
import type { Clock, Execute } from './execute.ts';

/** When each API key was last used, gathered in memory and written now and then. */
export interface LastAccess {
  note(apiKeyId: number): void;
  /** Writes what was noted. What cannot be written is kept for the next time. */
  flush(): Promise<void>;
}

export function createLastAccess(execute: Execute, clock: Clock, actor: Actor): LastAccess {
  let noted = new Map<number, number>();
  return {
    note: (apiKeyId) => void noted.set(apiKeyId, clock()),
    async flush() {
      if (noted.size === 0) return;
      const writing = noted;
      noted = new Map();
      const uses = Array.from(writing, ([id, ms]): { id: number; at: Datetime } => ({
        id,
        at: toDatetime(ms),
      }));
      try {
        await execute('touch-api-keys', uses, actor);
      } catch (error) {
        noted = new Map([...writing, ...noted]);
        throw error;
      }
    },
  };
}
