import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres/postgres.ts';
import { isKept } from './compare.ts';
import { recordCheckout } from './recording.ts';

/**
 * Records what the server of a checkout answers to a fixed list of requests, to compare one version with another:
 * `node test/wire/record.ts --checkout DIR --engine sqlite|postgres --out DIR`.
 * `--update` rewrites the recordings of the v1 API that `wire.test.ts` compares with.
 */
const OWN = fileURLToPath(new URL('../..', import.meta.url));
const RECORDED = fileURLToPath(new URL('recorded', import.meta.url));

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: OWN },
    engine: { type: 'string', default: 'sqlite' },
    out: { type: 'string', default: '' },
    update: { type: 'boolean', default: false },
  },
});

/**
 * Returns the URL of a PostgreSQL server, or `null` for SQLite, and a function that stops the server if this process
 * started it. Such a server also ends with this process.
 */
async function serverUrlOf(engine: string): Promise<{ url: string | null; stop(): Promise<void> }> {
  if (engine === 'sqlite') return { url: null, stop: async () => {} };
  const given = process.env.LATCHKEY_TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  const server = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
  return { url: server.url('postgres'), stop: () => server.stop() };
}

async function record(engine: string, out: string, isWritten = (_name: string) => true): Promise<void> {
  if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine is sqlite or postgres');
  const begun = performance.now();
  const server = await serverUrlOf(engine);
  const files = await recordCheckout(resolve(values.checkout), server.url);
  await server.stop();
  mkdirSync(out, { recursive: true });
  for (const [name, text] of files) if (isWritten(name)) writeFileSync(join(out, name), text);
  const requests = [...files.values()].flatMap((text) => text.match(/^=== \d+$/gm) ?? []).length;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`Recorded ${requests} answers on ${engine}, in ${seconds} s: ${out}`);
}

if (values.update) {
  rmSync(RECORDED, { recursive: true, force: true });
  await record('sqlite', RECORDED, isKept);
} else if (values.out === '') {
  console.error(
    'Name an output folder (--out), or rewrite the recordings that the tests compare with (--update).',
  );
  process.exitCode = 1;
} else await record(values.engine, resolve(values.out));
