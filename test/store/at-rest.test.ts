import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

test('no file in the data directory contains a license key, a consumer key or a secret in plain text', async (t) => {
  const { dataDir, credentials, ...api } = await startService(t);
  const { license_key: first } = await api.license();
  const { license_key: second } = await api.license({ license_key: 'Ключ-☂-1' });
  const generator = await api.generator();
  const generated = await api.ok('POST', `/generators/${generator.id}/generate`, {
    json: { amount: 20, save: true },
  });
  const secrets = [first, second, ...generated, credentials.consumerKey, credentials.consumerSecret];
  for (const name of readdirSync(dataDir)) {
    const bytes = readFileSync(join(dataDir, name));
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `${name} contains ${secret}`);
  }
});

test('hashed-{hash} is the HMAC of the key and addresses the license', async (t) => {
  const { service, ...api } = await startService(t);
  const { license_key: key, id } = await api.license();
  const hash = service.store.read.licenses.hashOf(key);
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.equal((await api.ok('GET', `/licenses/hashed-${hash}`)).id, id);
});
