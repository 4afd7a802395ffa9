import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { ask, Connection } from './run/connection.ts';
import { type Server, startService } from './run/processes.ts';
import { CREDENTIALS } from './run/session.ts';
import { apiKeys } from './timing/api-keys.ts';
import { compare, type Sample } from './timing/compare.ts';

/**
 * Whether the time of an answer tells what was wrong: `npm run bench:timing`, on SQLite and PostgreSQL of its own.
 * Asks for each kind on one connection, in random order, and compares the times. The last line is one JSON object.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20000' } } });
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 100)
  throw new Error('--rounds must be a whole number from 100');
const WARM = 2_000;
const API_KEYS = 20;

interface Pair {
  consumer_key: string;
  consumer_secret: string;
}
const RIGHT: Pair = {
  consumer_key: CREDENTIALS.LATCHKEY_CONSUMER_KEY,
  consumer_secret: CREDENTIALS.LATCHKEY_CONSUMER_SECRET,
};
const random = (prefix: string): string => prefix + randomBytes(20).toString('hex');
const get = (path: string, key: string, secret: string): string =>
  [
    `GET /wp-json/dlm/v1${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
    '\r\n',
  ].join('\r\n');

/** What is asked for, by what is wrong with it; each time with values of its own. */
const kindsOf = (revoked: Pair) => {
  // As much work for each: what it leaves in the processor's caches would else be measured, too.
  const made = () => ({ key: random('ck_'), secret: random('cs_'), hash: randomBytes(32).toString('hex') });
  const asked = (one: (made: { key: string; secret: string; hash: string }) => string) => () => one(made());
  const asOwner = (path: string) => get(path, RIGHT.consumer_key, RIGHT.consumer_secret);
  return {
    wrong_secret: asked(({ secret }) => get('/licenses', RIGHT.consumer_key, secret)),
    wrong_key: asked(({ key }) => get('/licenses', key, RIGHT.consumer_secret)),
    wrong_both: asked(({ key, secret }) => get('/licenses', key, secret)),
    revoked_key: asked(() => get('/licenses', revoked.consumer_key, revoked.consumer_secret)),
    unknown_license: asked(({ hash }) => asOwner(`/licenses/unknown${hash}`)),
    unknown_hash: asked(({ hash }) => asOwner(`/licenses/hashed-${hash}`)),
  };
};
type Kind = keyof ReturnType<typeof kindsOf>;
/** What must not be told apart. */
const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['wrong_secret', 'wrong_key'],
  ['wrong_secret', 'wrong_both'],
  ['revoked_key', 'wrong_key'],
  ['unknown_license', 'unknown_hash'],
];

async function measure(service: Server, cli: (...args: string[]) => Promise<Pair & { id: number }>) {
  for (let i = 0; i < API_KEYS; i++) await cli('create');
  const revoked = await cli('create');
  await cli('revoke', String(revoked.id));
  const kinds = kindsOf(revoked);
  await ask(service.port, get('/licenses', RIGHT.consumer_key, RIGHT.consumer_secret));
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  const connection = await Connection.open(service.port);
  const names = Object.keys(kinds) as Kind[];
  for (let round = -WARM / names.length; round < rounds; round++) {
    for (const kind of shuffled(names)) {
      const request = kinds[kind]();
      const begun = process.hrtime.bigint();
      await new Promise<void>((resolve, reject) => {
        connection.onAnswer = () => resolve();
        connection.onBroken = reject;
        connection.send(request);
      });
      if (round >= 0) times[kind]?.push(Number(process.hrtime.bigint() - begun) / 1_000);
    }
  }
  connection.close();
  return Object.fromEntries(
    PAIRS.map(([one, other]) => [`${one} / ${other}`, compare(times[one] as Sample, times[other] as Sample)]),
  );
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-timing-'));
const postgres = await startPostgres({});
const report: Record<string, unknown> = {};
try {
  for (const engine of ['sqlite', 'postgres']) {
    const settings: Record<string, string> = {
      ...CREDENTIALS,
      LATCHKEY_DATA_DIR: join(folder, engine),
      LATCHKEY_FAILURE_LIMIT: '0',
      ...(engine === 'postgres' && { LATCHKEY_DATABASE_URL: postgres.url('postgres') }),
    };
    const service = await startService(settings, join(folder, `${engine}.log`));
    try {
      report[engine] = await measure(service, apiKeys(settings));
      console.log(engine);
      console.table(report[engine]);
    } finally {
      await service.stop();
    }
  }
  console.log(JSON.stringify({ rounds, ...report }));
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
