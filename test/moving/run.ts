import { parseArgs } from 'node:util';
import { startQuickPostgres } from '../runner/run-tests.ts';

/**
 * `npm run test:moving`: a shop that PHP has written moves in from MariaDB, and each column of each license and activation
 * is compared. Then some rows of the shop change, and a second move takes those.
 *
 *     --licenses N   with two activations each; 100,000 when not set
 *     --changed N    rows of each table that change then; 1,000 when not set
 *     --engine NAME  sqlite (when not set) or postgres: a server of our own, or that of LATCHKEY_TEST_DATABASE_URL
 */
const { values } = parseArgs({
  options: {
    licenses: { type: 'string', default: '100000' },
    changed: { type: 'string', default: '1000' },
    engine: { type: 'string', default: 'sqlite' },
  },
});
const [licenses, changed] = [Number(values.licenses), Number(values.changed)];
if (!(licenses >= 10)) throw new Error('--licenses is a whole number of 10 or more');
if (!(changed >= 1)) throw new Error('--changed is a whole number above 0');
if (!['sqlite', 'postgres'].includes(values.engine)) throw new Error('--engine is sqlite or postgres');

const isOurs = values.engine === 'postgres' && !process.env.LATCHKEY_TEST_DATABASE_URL;
const server = isOurs ? await startQuickPostgres() : null;
if (server) process.env.LATCHKEY_TEST_DATABASE_URL = server.url('postgres');
// Import only now: the module reads the server from the environment.
const { moveShop } = await import('./move-shop.ts');
try {
  await moveShop(licenses, changed);
} finally {
  await server?.stop();
}
