import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { ApiKey } from '../../domain/api-key.ts';
import type { Connection } from '../sql/statement.ts';
import type { Reads } from '../store.ts';
import { clientOptions, type PoolOptions } from './connection.ts';

const CHANNEL = 'latchkey_api_keys';

/** Tells every node, when the transaction commits, that API keys have changed. */
export async function notifyOfApiKeys(connection: Connection): Promise<void> {
  await connection.execute(`select pg_notify('${CHANNEL}', '')`, []);
}

/** Keys remembered; past that the one that was remembered first goes. */
const KEYS_MAX = 10_000;
/** A key that was read this long ago, in milliseconds, is good without asking whether anybody listens. */
const AGE_MS = 500;
/** Nor are keys older than this, whoever listens. */
const AGE_MAX_MS = 60_000;
/** So often the server is asked for a sign of life; after the last one, keys are good for so long, less than a second. */
const BEAT_MS = 200;
const SILENCE_MS = 800;

const GOODBYE_MS = 1_000;

interface Remembered {
  apiKey: ApiKey;
  at: number;
}

/**
 * API keys in memory, so that authentication asks the database for nothing. A change on any node is heard of at once;
 * while nothing can be heard, a key is asked for again after half a second. Wrong keys are not remembered, and a wrong
 * secret asks as a wrong key does.
 */
export function cacheApiKeys(
  apiKeys: Pick<Reads['apiKeys'], 'findByHash'>,
  options: Pick<PoolOptions, 'url' | 'pooler'>,
): { reads: Pick<Reads['apiKeys'], 'findByHash'>; forget(): void; close(): Promise<void> } {
  const remembered = new Map<string, Remembered>();
  /** Counts changes, so that what was read before one is not remembered after it. */
  let changes = 0;
  const forget = () => {
    changes++;
    remembered.clear();
  };
  // Through a pooler nothing is heard.
  const listener = options.pooler ? null : listen(options.url, forget);

  function isFresh({ at }: Remembered, now: number): boolean {
    const age = now - at;
    return age < AGE_MS || (age < AGE_MAX_MS && listener !== null && now - listener.heardAt() < SILENCE_MS);
  }

  return {
    reads: {
      async findByHash(keyHash, isGood = () => true) {
        const id = Buffer.from(keyHash).toString('latin1');
        const now = performance.now();
        const known = remembered.get(id);
        if (known && isFresh(known, now) && isGood(known.apiKey)) return known.apiKey;
        const before = changes;
        const apiKey = await apiKeys.findByHash(keyHash);
        remembered.delete(id);
        if (apiKey && changes === before) {
          if (remembered.size >= KEYS_MAX) remembered.delete(remembered.keys().next().value as string);
          remembered.set(id, { apiKey, at: now });
        }
        return apiKey;
      },
    },
    forget,
    close: async () => listener?.close(),
  };
}

/** Listens on a connection of its own, which is made anew whenever it is lost. */
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
      // Of what has changed before, nothing was heard.
      onChange();
      while (!closing.signal.aborted) {
        const asked = performance.now();
        await client.query('select 1');
        heardAt = asked;
        await pause();
      }
    } finally {
      heardAt = Number.NEGATIVE_INFINITY;
      // On a connection that has died without a word, nothing would ever answer to the goodbye.
      const waited = setTimeout(GOODBYE_MS, undefined, { ref: false });
      await Promise.race([client.end(), waited]).catch(() => {});
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

/** Whether somebody is between us and the server, as a pooler is, who would not pass on what is told to listeners. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return rows[0].pid !== (client as pg.Client & { processID: number | null }).processID;
}
