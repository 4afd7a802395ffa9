import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticate } from '../../src/app/api-keys/credentials.ts';
import type { ApiKey } from '../../src/domain/api-key.ts';
import { openCaches } from '../../src/store/postgres/caches.ts';
import { cacheApiKeys } from '../../src/store/sqlite/api-keys.ts';
import type { Reads } from '../../src/store/store.ts';
import { numberOf, rowsOf } from '../support/engine.ts';
import { withApiKey } from '../support/http/api-keys.ts';
import { startService } from '../support/service.ts';

type Find = Reads['apiKeys']['findByHash'];
const NOW = '2030-01-01 00:00:00';
const hash = (byte: number) => new Uint8Array(32).fill(byte);
const [KEY, SECRET, OTHER, MOVED] = [hash(1), hash(2), hash(3), hash(4)];
const apiKey = { id: 1, secretHash: SECRET, revokedAt: null, expiresAt: null } as ApiKey;

/** The API key cache of each engine. @param find queries the database */
const MEMORIES: Record<string, (find: Find) => Find> = {
  SQLite: (find) => cacheApiKeys(find, () => 1),
  // Behind a pooler, the cache does not listen for changes.
  PostgreSQL: (findByHash) =>
    openCaches(
      { apiKeys: { findByHash }, events: { wanted: async () => new Set() } },
      { url: '', pooler: true },
    ).apiKeys.findByHash,
};

for (const [engine, memory] of Object.entries(MEMORIES)) {
  test(`${engine}: a wrong secret of a cached or migrated key queries the database as often as a wrong key`, async () => {
    let asked = 0;
    let known: ApiKey | null = apiKey;
    const findByHash = memory(async (hash) => {
      asked++;
      return hash === KEY || hash === MOVED ? known : null;
    });
    const reads = { apiKeys: { findByHash } } as unknown as Reads;
    const ask = async (keyHash: Uint8Array, secretHash: Uint8Array, pluginHash = OTHER) => {
      asked = 0;
      const found = await authenticate(reads, { keyHash, secretHash }, NOW, () => pluginHash);
      return [typeof found === 'string' ? found : found.id, asked];
    };
    assert.deepEqual(await ask(KEY, SECRET), [1, 1]);
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await ask(KEY, SECRET), [1, 0]);
      assert.deepEqual(await ask(KEY, OTHER), ['secret_invalid', 2]);
      assert.deepEqual(await ask(OTHER, SECRET), ['key_invalid', 2]);
      assert.deepEqual(await ask(OTHER, OTHER, MOVED), ['secret_invalid', 2]);
    }
    // A migrated key costs one more look-up than others, until its first use is written.
    await ask(OTHER, SECRET, MOVED);
    for (let i = 0; i < 3; i++) assert.deepEqual(await ask(OTHER, SECRET, MOVED), [1, 1]);
    known = { ...apiKey, expiresAt: '2029-01-01 00:00:00' };
    await ask(KEY, OTHER);
    for (let i = 0; i < 3; i++) assert.deepEqual(await ask(KEY, SECRET), ['key_invalid', 2]);
  });
}

test('a wrong key finds a row, too, and is never accepted, whatever hash is next to it', async (t) => {
  const api = await startService(t);
  for (let i = 0; i < 5; i++) await withApiKey(api);
  const { findByHash } = api.service.store.read.apiKeys;
  const hashes = (await rowsOf(api.dataDir, 'select key_hash from api_keys')).map(
    ({ key_hash }) => key_hash as Uint8Array,
  );
  assert.equal(hashes.length, await numberOf(api.dataDir, 'select count(*) from api_keys'));
  for (const hash of hashes) {
    assert.ok(await findByHash(Buffer.from(hash)));
    for (const step of [-1, 1]) {
      const beside = Buffer.from(hash);
      beside[31] = ((beside[31] as number) + step + 256) % 256;
      assert.equal(await findByHash(beside), null);
    }
  }
  for (const byte of [0, 255]) assert.equal(await findByHash(Buffer.alloc(32, byte)), null);
});
