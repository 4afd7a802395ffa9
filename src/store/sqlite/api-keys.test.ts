import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ApiKey } from '../../domain/api-key.ts';
import { cacheApiKeys } from './api-keys.ts';

const HASH = new Uint8Array(32);

test('while the database version cannot be read, no key comes from the cache', async () => {
  let version = () => 1;
  const findByHash = cacheApiKeys(
    async () => ({ id: 1 }) as ApiKey,
    () => version(),
  );
  await findByHash(HASH);
  await setImmediate();
  version = () => {
    throw new Error('disk I/O error');
  };
  const ends = await Promise.allSettled([findByHash(HASH), findByHash(HASH)]);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});

test('a key that was read before a commit is not cached after it', async () => {
  let version = 1;
  const reads: ((apiKey: ApiKey) => void)[] = [];
  const findByHash = cacheApiKeys(
    () => new Promise((resolve) => reads.push(resolve)),
    () => version,
  );
  const slow = findByHash(HASH);
  await setImmediate();
  version = 2;
  void findByHash(new Uint8Array(32));
  reads[0]?.({ id: 1 } as ApiKey);
  await slow;
  const next = findByHash(HASH);
  reads[2]?.({ id: 2 } as ApiKey);
  assert.deepEqual(await next, { id: 2 });
});
