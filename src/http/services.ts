import type { LastAccess } from '../app/api-keys/last-access.ts';
import type { Services as AppServices } from '../app/execute.ts';
import type { Installation } from '../app/reports/installation.ts';

/** The services of the routes. */
export interface Services extends AppServices {
  lastAccess: LastAccess;
  installation: Installation;
}
