import type { Datetime } from '../datetime.ts';
import type { License } from './license.ts';

/** A deleted license, which can be restored. */
export interface TrashedLicense extends License {
  deletedAt: Datetime;
}
