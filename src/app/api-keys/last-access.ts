import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { Clock, Execute } from '../execute.ts';
import { gather } from '../write-behind.ts';

/** When each API key was last used. */
export interface LastAccess {
  note(apiKeyId: number): void;
  flush(): Promise<void>;
}

export function createLastAccess(execute: Execute, clock: Clock, actor: Actor): LastAccess {
  const { note, flush } = gather<number, number>(
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
