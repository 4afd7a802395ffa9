import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres/postgres.ts';
import { startService } from './run/processes.ts';
import { CREDENTIALS } from './run/session.ts';
import { apiKeyScenario } from './timing/api-keys.ts';
import type { Compared } from './timing/compare.ts';
import { measure } from './timing/measure.ts';
import { program } from './timing/program.ts';
import { signInScenario } from './timing/sign-in.ts';

/**
 * Tests whether the time of an answer reveals what was wrong: `npm run bench:timing`, on its own SQLite and PostgreSQL.
 * Sends each kind of request on one connection, in random order, and compares the times. The last line is one JSON
 * object.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20000' },
    'sign-ins': { type: 'string', default: '200' },
  },
});
const rounds = numberOf('rounds', 100);
// Each sign-in takes as long as hashing a password.
const signIns = numberOf('sign-ins', 20);

/** Returns the number that a flag gives; 0 skips the scenario. */
function numberOf(flag: keyof typeof values, least: number): number {
  const number = Number(values[flag]);
  if (Number.isSafeInteger(number) && (number === 0 || number >= least)) return number;
  throw new Error(`--${flag} must be 0, or a whole number from ${least}`);
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-timing-'));
const postgres = await startPostgres({});
const report: Record<string, Record<string, Compared>> = {};
try {
  for (const engine of ['sqlite', 'postgres']) {
    const settings: Record<string, string> = {
      ...CREDENTIALS,
      LATCHKEY_DATA_DIR: join(folder, engine),
      LATCHKEY_FAILURE_LIMIT: '0',
      LATCHKEY_SIGN_IN_LIMIT: '0',
      ...(engine === 'postgres' && { LATCHKEY_DATABASE_URL: postgres.url('postgres') }),
    };
    const service = await startService(settings, join(folder, `${engine}.log`));
    try {
      const latchkey = program(settings);
      const { port } = service;
      report[engine] = {
        ...(rounds > 0 && (await measure(port, await apiKeyScenario(latchkey, port), rounds))),
        ...(signIns > 0 && (await measure(port, await signInScenario(latchkey), signIns))),
      };
      console.log(engine);
      console.table(report[engine]);
    } finally {
      await service.stop();
    }
  }
  console.log(JSON.stringify({ rounds, sign_ins: signIns, ...report }));
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
