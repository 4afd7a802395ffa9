import type { Resealed, StagedPlace } from '../../store/store.ts';
import type { Command } from '../command.ts';
import { RESEALED_AT_ONCE } from './reseal-licenses.ts';

/** The same for licenses that are put aside. */
export const resealStagedLicenses: Command<{ keyId: string; after: StagedPlace }, Resealed<StagedPlace>> = (
  { staged },
  { keyId, after },
) => staged.reseal(keyId, after, RESEALED_AT_ONCE);
