import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres/postgres.ts';
import { cpuMicroseconds, memory } from './run/cpu.ts';
import { startService } from './run/processes.ts';
import { AUTHORIZATION as authorization, CREDENTIALS } from './run/session.ts';

/**
 * Measures how fast many events reach many endpoints, some of which hang or fail: `npm run measure:events`. Prints when
 * the other endpoints have all events, and the memory and database size that this takes.
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    endpoints: { type: 'string', default: '20' },
    hanging: { type: 'string', default: '3' },
    failing: { type: 'string', default: '3' },
    postgres: { type: 'boolean', default: false },
  },
});
const [events, endpoints] = [Number(values.events), Number(values.endpoints)];
const [hanging, failing] = [Number(values.hanging), Number(values.failing)];
const LOOK_MS = 1_000;
const MIB = 1024 ** 2;

const folder = mkdtempSync(join(tmpdir(), 'latchkey-events-'));
const receiver = fork(join(import.meta.dirname, 'events/receiver.ts'));
const [{ port: receiverPort }] = (await once(receiver, 'message')) as [{ port: number }];
const postgres = values.postgres ? await startPostgres() : null;
await postgres?.query('create database events');
const service = await startService(
  {
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    ...(postgres && { LATCHKEY_DATABASE_URL: postgres.url('events') }),
    LATCHKEY_WEBHOOK_NETWORKS: '127.0.0.0/8',
    LATCHKEY_LOG_LEVEL: 'warn',
    ...CREDENTIALS,
  },
  join(folder, 'log'),
);
const root = `http://127.0.0.1:${service.port}/wp-json/dlm/v1`;

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
async function call(path: string, body?: object): Promise<any> {
  const response = await fetch(root + path, {
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}

async function received(): Promise<Record<string, number>> {
  receiver.send('count');
  const [{ counts }] = (await once(receiver, 'message')) as [{ counts: Record<string, number> }];
  return counts;
}

async function databaseBytes(): Promise<number> {
  if (postgres) {
    const { rows } = await postgres.query('select pg_database_size(current_database()) as size', 'events');
    return Number(rows[0].size);
  }
  const data = join(folder, 'data');
  const files = readdirSync(data).filter((name) => name.startsWith('latchkey.db'));
  return files.reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
}

try {
  const paths = Array.from({ length: endpoints }, (_, i) =>
    i < hanging ? `/hang${i}` : i < hanging + failing ? `/fail${i}` : `/ok${i}`,
  );
  for (const path of paths)
    await call('/events/endpoints', {
      url: `http://127.0.0.1:${receiverPort}${path}`,
      types: ['license.created'],
    });
  const charset = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
  const generator = {
    name: 'Events',
    charset,
    chunks: 4,
    chunk_length: 6,
    activations_limit: 1,
    expires_in: 0,
  };
  const { id } = await call('/generators', { ...generator, separator: '-' });
  const before = await databaseBytes();
  const begun = performance.now();
  for (let left = events; left > 0; left -= 10_000)
    await call(`/generators/${id}/generate`, { amount: Math.min(left, 10_000), save: true });
  const made = performance.now();
  console.log(`${events} events created in ${Math.round((made - begun) / 1_000)} s`);
  const good = paths.filter((path) => path.startsWith('/ok'));
  for (;;) {
    const counts = await received();
    const least = Math.min(...good.map((path) => counts[path] ?? 0));
    if (least === events) break;
    await setTimeout(LOOK_MS);
  }
  const seconds = (performance.now() - begun) / 1_000;
  const sent = good.length * events;
  console.log(
    `${good.length} endpoints have all events after ${Math.round(seconds)} s: ${Math.round(sent / seconds)} per second`,
  );
  const cpu = cpuMicroseconds(service.pid) / sent;
  console.log(
    `processor time: ${Math.round(cpu)} µs per delivery; resident ${memory(service.pid).most} MiB at most`,
  );
  const bytes = (await databaseBytes()) - before;
  console.log(
    `database: ${Math.round(bytes / MIB)} MiB more, ${Math.round(bytes / events / endpoints)} bytes per delivery`,
  );
  console.log(JSON.stringify(await received()));
} finally {
  await service.stop();
  receiver.disconnect();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
