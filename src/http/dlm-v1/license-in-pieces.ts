import { Readable } from 'node:stream';
import { restOfActivations } from '../../app/licenses/licenses.ts';
import { ACTIVATIONS_AT_ONCE, type LicenseWithActivations, type Reads } from '../../store/store.ts';
import { presentActivation, presentLicenseWithActivations, success } from './present.ts';

/** Whether a license was read with all of its activations. */
export const isAll = ({ activations }: LicenseWithActivations): boolean =>
  activations.length < ACTIVATIONS_AT_ONCE;

/** The answer as text, piece by piece: the activations of a license may be more than memory should hold. */
export const licenseInPieces = (reads: Reads, first: LicenseWithActivations, now: string): Readable =>
  Readable.from(pieces(reads, first, now));

const END = ']}}';

async function* pieces(reads: Reads, first: LicenseWithActivations, now: string): AsyncGenerator<string> {
  // `activations` is the last field, so that its list can go on where this text ends.
  yield JSON.stringify(success(presentLicenseWithActivations(first, now))).slice(0, -END.length);
  for await (const some of restOfActivations(reads, first)) {
    yield some.map((activation) => `,${JSON.stringify(presentActivation(activation))}`).join('');
  }
  yield END;
}
