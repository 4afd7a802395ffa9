import { parameterName } from '../../domain/fields.ts';
import { fullLicenseShape } from '../../domain/licenses/license.ts';
import { notesShape } from '../../domain/licenses/license-notes.ts';

/** The parameters that a line of an imported file can set. */
export const importShape = { ...fullLicenseShape, ...notesShape };
/** The parameters that columns can have. */
export const IMPORTED: readonly string[] = Object.keys(importShape).map(parameterName);
