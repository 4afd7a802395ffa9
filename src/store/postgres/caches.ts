import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { createApiKeyCache } from '../sql/api-keys/api-key-cache.ts';
import { createWantedCache } from '../sql/events/wanted-cache.ts';
import type { Connection } from '../sql/statement.ts';
import type { Reads } from '../store.ts';
import { clientOptions, type PoolOptions } from './client-options.ts';

/** The channel for notifications, named after the first values that were cached. */
const CHANNEL = 'latchkey_api_keys';

/** Notifies every node of a change to API keys or event endpoints when the transaction commits. */
export async function notifyOfChange(connection: Connection): Promise<void> {
  await connection.execute(`select pg_notify('${CHANNEL}', '')`, []);
}

/** Milliseconds for which a cached value is valid without a listening connection. */
const AGE_MS = 500;
/** Longest time, in milliseconds, for which a cached value is valid with a listening connection. */
const AGE_MAX_MS = 60_000;
/**
 * Milliseconds between two probes of the server. The connection counts as listening for SILENCE_MS after an answered
 * probe was sent.
 */
const BEAT_MS = 200;
const SILENCE_MS = 800;
/** Longest wait, in milliseconds, for the end of the connection. */
const END_MS = 1_000;

/**
 * Milliseconds after a change until no node uses the values from before: a node may not know yet that it is not
 * listening.
 */
export const SETTLED_MS = SILENCE_MS + AGE_MS + BEAT_MS;

/** The reads that are cached. */
interface Cached {
  apiKeys: Pick<Reads['apiKeys'], 'findByHash'>;
  events: Pick<Reads['events'], 'wanted'>;
}

export type Caches = ReturnType<typeof openCaches>;

/**
 * Caches API keys, so that authentication needs no query, and which events are wanted, so that a change needs none. The
 * caches are emptied as soon as a node reports a change. While no reports can arrive, a value is read again after half a
 * second.
 */
export function openCaches(
  { apiKeys: { findByHash }, events }: Cached,
  { url, pooler }: Pick<PoolOptions, 'url' | 'pooler'>,
) {
  const isFresh = (age: number) => age < AGE_MS || (age < AGE_MAX_MS && isListening());
  const apiKeys = createApiKeyCache(findByHash, isFresh);
  const wanted = createWantedCache(events.wanted, isFresh);
  /** Empties the caches after a change. */
  const forget = () => {
    apiKeys.forget();
    wanted.forget();
  };
  // A pooler passes no notifications on.
  const listener = pooler ? null : listen(url, forget);
  const isListening = () => listener !== null && performance.now() - listener.heardAt() < SILENCE_MS;
  return { apiKeys, wanted, forget, close: async () => listener?.close() };
}

/**
 * The reason with which the listener aborts. The default reason is an error, whose stack would keep a stopped server
 * in memory.
 */
const CLOSED = 'closed';

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
      if (await isPooled(client)) return closing.abort(CLOSED);
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
      closing.abort(CLOSED);
      await running;
    },
  };
}

/** Whether a pooler is in front of the server, which would not pass notifications on. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return rows[0].pid !== (client as pg.Client & { processID: number | null }).processID;
}
