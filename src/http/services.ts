import type { Clock, Execute } from '../app/execute.ts';
import type { LastAccess } from '../app/last-access.ts';
import type { Store } from '../store/store.ts';

/** What the routes work with. */
export interface Services {
  store: Store;
  execute: Execute;
  clock: Clock;
  lastAccess: LastAccess;
}
