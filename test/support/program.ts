import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FLAGS } from '../../src/runtime.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The file that starts the program: in the bundle that `test/run.ts` has made, or in the source. */
export const START = process.env.LATCHKEY_TEST_PROGRAM ?? join(ROOT, 'src/start.js');
/** Arguments of Node.js that run the program as on a server. Without the flags, a server would start twice. */
export const PROGRAM: readonly string[] = [...FLAGS, START];
/** The environment variables of a server. */
export { ENVIRONMENT } from '../../src/runtime.js';
