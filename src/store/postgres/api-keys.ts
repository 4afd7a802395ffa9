import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type ApiKeyCache, createApiKeyCache } from '../sql/api-keys/api-key-cache.ts';
import type { Connection } from '../sql/statement.ts';
import type { Reads } from '../store.ts';
import { clientOptions, type PoolOptions } from './connection.ts';

const CHANNEL = 'latchkey_api_keys';

/** Notifies every node of a change to API keys when the transaction commits. */
export async function notifyOfApiKeys(connection: Connection): Promise<void> {
  await connection.execute(`select pg_notify('${CHANNEL}', '')`, []);
}

/** Milliseconds for which a cached key is good without a listening connection. */
const AGE_MS = 500;
/** The longest that a cached key is good, with a listening connection. */
const AGE_MAX_MS = 60_000;
/** The server is asked for a sign of life this often. After the last one, the connection counts as listening for SILENCE_MS. */
const BEAT_MS = 200;
const SILENCE_MS = 800;
/** Longest wait for the end of the connection. */
const END_MS = 1_000;

/**
 * Caches API keys, so that authentication needs no query. The cache is emptied as soon as a node reports a change. While
 * no reports can arrive, a key is read again after half a second.
 */
export function listenForApiKeys(
  findByHash: Reads['apiKeys']['findByHash'],
  { url, pooler }: Pick<PoolOptions, 'url' | 'pooler'>,
): ApiKeyCache & { close(): Promise<void> } {
  const cache = createApiKeyCache(findByHash, (age) => age < AGE_MS || (age < AGE_MAX_MS && isListening()));
  // A pooler passes no notifications on.
  const listener = pooler ? null : listen(url, cache.forget);
  const isListening = () => listener !== null && performance.now() - listener.heardAt() < SILENCE_MS;
  return { ...cache, close: async () => listener?.close() };
}

/** Listens on its own connection, and reconnects whenever it is lost. */
function listen(url: string, onChange: () => void): { heardAt(): number; close(): Promise<void> } {
  let heardAt = Number.NEGATIVE_INFINITY;
  const closing = new AbortController();
  const pause = () => setTimeout(BEAT_MS, undefined, { signal: closing.signal });

  async function hear(): Promise<void> {
    const client = new pg.Client(clientOptions({ url, timeout: SILENCE_MS, pooler: false }));
    client.on('error', () => {});
    client.on('notification', onChange);
    try {
      await client.connect();
      if (await isPooled(client)) return closing.abort();
      await client.query(`listen ${CHANNEL}`);
      // Changes before this moment were not reported.
      onChange();
      while (!closing.signal.aborted) {
        const sentAt = performance.now();
        await client.query('select 1');
        heardAt = sentAt;
        await pause();
      }
    } finally {
      heardAt = Number.NEGATIVE_INFINITY;
      // A dead connection would never confirm its end.
      await Promise.race([client.end(), setTimeout(END_MS, undefined, { ref: false })]).catch(() => {});
      client.connection.stream.destroy();
    }
  }

  const running = (async () => {
    while (!closing.signal.aborted) {
      await hear().catch(() => {});
      await pause().catch(() => {});
    }
  })();
  return {
    heardAt: () => heardAt,
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** Whether a pooler is in front of the server: it would not pass notifications on. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return rows[0].pid !== (client as pg.Client & { processID: number | null }).processID;
}
