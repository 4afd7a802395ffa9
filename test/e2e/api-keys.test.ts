import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAs, startConsole } from '../support/console-browser.ts';
import { assertAccessible } from '../support/console-page.ts';
import { goTo, loaded } from './pages.ts';

const api = await startConsole({ after });

test('an API key is made, shown once, works, and is refused once it is revoked', async (t) => {
  const page = await openAs(t, api, 'manager');
  await goTo(page, '/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const form = page.getByRole('dialog', { name: 'Create API key' });
  await form.getByLabel('Description').fill('Spring sale');
  await assertAccessible(page);
  await form.getByRole('button', { name: 'Create API key' }).click();
  const made = page.getByRole('dialog', { name: 'The new API key' });
  const text = await made.innerText();
  const consumerKey = /ck_[0-9a-f]{40}/.exec(text)?.[0] ?? '';
  const consumerSecret = /cs_[0-9a-f]{40}/.exec(text)?.[0] ?? '';
  const credentials = { consumerKey, consumerSecret };
  await api.ok('GET', '/licenses', { credentials });
  // Once it is away nobody sees the secret again: a stray key does not close it.
  await page.keyboard.press('Escape');
  await assertAccessible(page);
  await made.getByRole('button', { name: 'Done' }).click();
  await made.waitFor({ state: 'hidden' });
  await page.reload();
  await loaded(page);
  assert.ok(!(await page.locator('body').innerText()).includes(consumerSecret));

  const row = page.getByRole('row', { name: /Spring sale/ });
  await row.getByRole('button', { name: /Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The API key is revoked.').first().waitFor();
  assert.equal((await api.call('GET', '/licenses', { credentials })).status, 401);
  await row.getByText('Revoked').waitFor();
});
