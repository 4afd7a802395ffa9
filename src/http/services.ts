import type { Services as AppServices } from '../app/execute.ts';
import type { LastAccess } from '../app/last-access.ts';

/** What the routes work with. */
export interface Services extends AppServices {
  lastAccess: LastAccess;
}
