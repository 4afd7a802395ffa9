import type { AddressCounts } from '../app/address-counts.ts';
import type { Services as AppServices } from '../app/execute.ts';
import type { LastAccess } from '../app/last-access.ts';
import type { UsageCounter } from '../app/usage.ts';
import type { Installation } from './installation.ts';

/** What the routes work with. */
export interface Services extends AppServices {
  lastAccess: LastAccess;
  usage: UsageCounter;
  addressCounts: AddressCounts;
  installation: Installation;
}
