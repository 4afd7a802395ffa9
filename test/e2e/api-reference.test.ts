import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openContext } from '../support/console/browser.ts';
import { PHONE } from '../support/console/console-browser.ts';
import { assertAccessible } from '../support/console/console-page.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const origin = `http://127.0.0.1:${api.port}`;

/** All operations look alike, and axe takes seconds for all of them, even if it checks another part. */
const leaveOneOperation = (page: Page) =>
  page.evaluate(
    `for (const one of document.querySelectorAll('.operation:not(#activateLicense)')) one.remove()`,
  );

test('a reader of the API reference chooses a language and tries operations with an API key', async (t) => {
  const { license_key } = await api.license();
  const page = await (await openContext(t, origin)).newPage();
  await page.goto('/docs');
  assert.match(
    (await page.locator('.guide pre').first().textContent()) ?? '',
    new RegExp(`ROOT=${api.root}`),
  );
  const activate = page.locator('#activateLicense');
  assert.equal(await activate.locator('figure:visible').getAttribute('data-language'), 'curl');
  await activate.getByRole('button', { name: 'Python' }).click();
  assert.equal(await activate.locator('figure:visible').getAttribute('data-language'), 'Python');

  await page.getByLabel('Consumer key').fill(api.credentials.consumerKey);
  await page.getByLabel('Consumer secret').fill(api.credentials.consumerSecret);
  const attempt = async (id: string, values: Record<string, string>): Promise<string> => {
    const form = page.locator(`#${id} .try`);
    await form.getByText('Try it').click();
    for (const [label, value] of Object.entries(values)) await form.getByLabel(label).fill(value);
    await form.getByRole('button', { name: 'Send' }).click();
    return (await form.locator('output pre').textContent()) ?? '';
  };
  const meta = '{"os": "linux", "note": "a & b"}';
  assert.match(await attempt('activateLicense', { license_key, meta }), /\n200 OK\n/);
  const [activation] = (await api.ok('GET', `/licenses/${license_key}`)).activations;
  assert.deepEqual(activation.meta_data, { os: 'linux', note: 'a & b' });
  const body = '{"order_id": 815}';
  assert.match(await attempt('updateLicense', { license_key, 'Body as JSON': body }), /\n200 OK\n/);
  assert.equal((await api.ok('GET', `/licenses/${license_key}`)).order_id, 815);
  assert.match(await attempt('validateActivation', { activation_token: 'x' }), /\n404 .*data_error/s);
  assert.match(await attempt('getGenerator', {}), /^generator_id is missing\.$/);
  const device = { 'Idempotency-Key': 'k', 'Body as JSON': JSON.stringify({ license_key }) };
  const activated = await attempt('activateDevice', device);
  assert.match(activated, /\/client\/v1\/activate\n201 Created\n/);
  const token = /"token": "(\w+)"/.exec(activated)?.[1] ?? '';
  assert.match(await attempt('deactivateDevice', { 'Activation token': token }), /\n204 No Content\n/);
  await leaveOneOperation(page);
  await assertAccessible(page, 'header, #credentials, #activateLicense');
});

test('the API reference fits a dark phone screen, with its contents in a menu', async (t) => {
  const page = await (await openContext(t, origin, { ...PHONE, colorScheme: 'dark' })).newPage();
  await page.goto('/docs/');
  const contents = page.getByRole('navigation');
  assert.equal(await contents.isVisible(), false);
  await page.getByRole('button', { name: 'Contents' }).click();
  await contents.getByRole('link', { name: 'Validate an activation' }).click();
  assert.equal(await contents.isVisible(), false);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await leaveOneOperation(page);
  await assertAccessible(page, '.guide');
});
