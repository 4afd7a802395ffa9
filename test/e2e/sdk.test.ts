import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bundleSdk, SIZE_MAX, sizeOfSdk, writeTypes } from '../../sdk/javascript/build.ts';
import { openPage } from '../support/console/browser.ts';
import { copyExample } from '../support/example.ts';
import { temporaryFolder } from '../support/folder.ts';
import { rootsOf } from '../support/leases/leases.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const roots = await rootsOf(api.service);
const origin = new URL(api.root).origin;

const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript' };

test('the browser example stores a lease and a device key that no script can read', async (t) => {
  const folder = copyExample('browser', 'app.js', origin, roots);
  const bundle = temporaryFolder();
  await bundleSdk(bundle);
  const page = await openPage(t, origin);
  await page.route(`${origin}/acme/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice('/acme/'.length);
    const inBundle = path.replace('node_modules/@latchkey/client/dist/', '');
    const file = inBundle === path ? join(folder, path) : join(bundle, inBundle);
    return route.fulfill({
      body: readFileSync(file),
      contentType: TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain',
    });
  });
  const message = page.getByRole('status');
  const license = await api.license({ activations_limit: 1, entitlements: ['pro'] });

  await page.goto('/acme/index.html');
  await page.getByText('Not licensed: not_activated').waitFor();
  await page.getByLabel('License key').fill('ACME-NONE');
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByText('license_not_found').waitFor();
  await page.getByLabel('License key').fill(license.license_key);
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByText(/^Licensed until .*: pro$/).waitFor();

  const isReadable = await page.evaluate(`new Promise((resolve) => {
    indexedDB.open('acme').onsuccess = ({ target: { result } }) => {
      result.transaction('latchkey').objectStore('latchkey').get('key').onsuccess = (event) => {
        result.close();
        resolve(event.target.result.privateKey.extractable);
      };
    };
  })`);
  assert.equal(isReadable, false);

  // The server is away.
  await page.route('**/client/v1/**', (route) => route.abort());
  await page.reload();
  await page.getByText(/^Licensed until/).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('(unreachable)').waitFor();
  await page.unroute('**/client/v1/**');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Not licensed: not_activated').waitFor();
  assert.equal(await message.textContent(), 'Not licensed: not_activated');
});

test('the SDK bundle for a browser stays within its size limit', async () => {
  const size = await sizeOfSdk();
  assert.ok(size <= SIZE_MAX, `${size} bytes`);
});

test('the types of the SDK name none of a browser, which a program for Node.js may lack', () => {
  const folder = temporaryFolder();
  writeTypes(folder);
  // @types/node has a global CryptoKey since version 26.
  for (const name of globSync('**/*.d.ts', { cwd: folder }))
    assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /\b(CryptoKey|IDB\w+)\b/, name);
});
