import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FLAGS } from '../../src/runtime.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The file that the program starts with: that of the bundle which `test/run.ts` has made, or of the source. */
export const START = process.env.LATCHKEY_TEST_PROGRAM ?? join(ROOT, 'src/start.js');
/** What the runtime is given to run the program as a server runs. Without the flags a server would start twice. */
export const PROGRAM: readonly string[] = [...FLAGS, START];
/** The variables of a server. */
export { ENVIRONMENT } from '../../src/runtime.js';
