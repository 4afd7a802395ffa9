import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { newKey, type Record_ } from '../support/http/api.ts';
import { goTo, isFocused, NO_LICENSES, showsLicenses, turnTo } from './pages.ts';

const api = await startConsole({ after });

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Licenses' }).locator('tbody tr[data-to]');
const searchOf = (page: Page) => page.getByRole('searchbox');

/** The form field for the expiry of a license. */
const expiryOf = (page: Page) => page.getByRole('dialog').getByRole('combobox', { name: 'Expires' });

test('a license is created, found and opened', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, '/licenses');
  await page.getByRole('button', { name: 'Create license' }).click();
  const dialog = page.getByRole('dialog');
  const key = newKey();
  await dialog.getByText('Enter a key').click();
  await dialog.getByLabel('License key').fill(key);
  await dialog.getByLabel('Order').fill('77001');
  await dialog.getByLabel('Customer email').fill('nobody');
  await dialog.getByRole('button', { name: 'Create license' }).click();
  await dialog.getByText('This must be an email address.').waitFor();
  await dialog.getByLabel('Customer email').fill('Marie.77@Example.com');
  await dialog.getByRole('button', { name: 'Create license' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.equal((await api.ok('GET', `/licenses/${key}`)).order_id, 77001);

  await turnTo(page, '/licenses');
  await searchOf(page).fill(key);
  await showsLicenses(page, 1);
  await rowsOf(page).getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: key }).waitFor();

  const email = page.getByRole('link', { name: 'Marie.77@Example.com' });
  assert.equal(await email.getAttribute('href'), 'mailto:Marie.77@Example.com');
  await page.getByRole('button', { name: 'Copy email address' }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Customer email').fill('marie.78@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'marie.78@example.com' }).waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByText('Customer email: Marie.77@Example.com → marie.78@example.com').waitFor();

  await turnTo(page, '/licenses');
  for (const term of ['MARIE.78@example.com', 'email:marie.7', 'customer:marie.78@']) {
    await searchOf(page).fill(term);
    await page.waitForURL((url) => url.searchParams.get('search') === term);
    await showsLicenses(page, 1);
    await page.getByText('Matched by the customer’s email address.').waitFor();
  }
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Customer email' }).check();
  await page.getByRole('cell', { name: 'marie.78@example.com' }).waitFor();
});

test('many licenses are generated from the license page', async (t) => {
  const { name, id } = await api.generator({ activations_limit: 4, expires_in: 90 });
  const page = await openAs(t, api, 'manager');
  await goTo(page, `${NO_LICENSES}&create=yes`);
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Generate many').click();
  await drawer.getByRole('combobox', { name: 'Generator' }).click();
  await page.getByRole('option', { name }).first().click();
  await drawer.getByRole('button', { name: 'Next' }).click();
  const dialog = page.getByRole('dialog', { name: `Generate keys with ${name}` });
  await dialog.getByText('Activation limit: 4 · Valid for: 90 days').waitFor();
  await dialog.getByLabel('Number of keys').fill('3');
  await dialog.getByLabel('Order').fill('77.003');
  await dialog.getByRole('button', { name: 'Generate licenses' }).click();
  await isFocused(dialog.getByLabel('Order'));
  await dialog.getByLabel('Order').fill('77003');
  await dialog.getByRole('button', { name: 'Generate licenses' }).click();
  await dialog.getByRole('button', { name: 'Generate licenses' }).waitFor({ state: 'hidden' });
  assert.equal(new URL(page.url()).searchParams.get('generate'), null);
  const made = await api.ok('GET', '/licenses', { query: { order_id: 77003 } });
  assert.deepEqual(
    made.map(({ status, activations_limit }: Record_) => [status, activations_limit]),
    [
      [3, 4],
      [3, 4],
      [3, 4],
    ],
    `of generator ${id}`,
  );
});

test('a generated license gets the activation limit and the days of its generator', async (t) => {
  const { name } = await api.generator({ activations_limit: 4, expires_in: 90, prefix: 'GEN-' });
  const page = await openAs(t, api, 'owner');
  await goTo(page, `${NO_LICENSES}&create=yes`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('combobox', { name: 'Generator' }).click();
  await page.getByRole('option', { name }).first().click();
  await drawer.getByText('Leave empty for the generator’s limit: 4 activations.').waitFor();
  assert.equal(await expiryOf(page).inputValue(), 'Set by the generator: in 90 days');
  await drawer.getByRole('button', { name: 'Create license' }).click();
  await drawer.waitFor({ state: 'hidden' });
  const made = async () => {
    const key = await page.getByRole('heading', { level: 1, name: /^GEN-/ }).textContent();
    const { activations_limit, valid_for, expires_at } = await api.ok('GET', `/licenses/${key}`);
    return [activations_limit, valid_for, expires_at !== null];
  };
  assert.deepEqual(await made(), [4, 90, true]);
  await turnTo(page, `${NO_LICENSES}&create=yes`);
  // The form preselects the generator that was used last.
  assert.equal(await drawer.getByRole('combobox', { name: 'Generator' }).inputValue(), name);
  await expiryOf(page).click();
  await page.getByRole('option', { name: 'Never' }).click();
  await drawer.getByLabel('Activation limit').fill('2');
  await drawer.getByRole('button', { name: 'Create license' }).click();
  await drawer.waitFor({ state: 'hidden' });
  assert.deepEqual(await made(), [2, 0, false]);
});

test('going through the form of a new license by keyboard changes neither its expiry nor its limit', async (t) => {
  const { name } = await api.generator({ activations_limit: 4, expires_in: 90, prefix: 'TAB-' });
  const page = await openAs(t, api, 'owner');
  await goTo(page, `${NO_LICENSES}&create=yes`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('combobox', { name: 'Generator' }).click();
  await page.getByRole('option', { name }).first().click();
  for (const field of ['Expires', 'Activation limit', 'Status']) {
    await page.keyboard.press('Tab');
    await drawer.getByLabel(field, { exact: true }).and(page.locator(':focus')).waitFor();
  }
  assert.equal(await expiryOf(page).inputValue(), 'Set by the generator: in 90 days');
  await drawer.getByText('Enter a key').click();
  const limit = drawer.getByLabel('Activation limit');
  await limit.focus();
  await page.keyboard.press('Tab');
  assert.deepEqual([await expiryOf(page).inputValue(), await limit.inputValue()], ['Never', '1']);
  // Without a generator, an empty limit would be no limit.
  await drawer.getByLabel('License key').fill(newKey());
  await limit.fill('');
  await drawer.getByRole('button', { name: 'Create license' }).click();
  await drawer.getByText('Required.').waitFor();
  await drawer.getByText('Generate one key').click();
  assert.equal(await drawer.getByText('Required.').count(), 0);
});

test('spaces around a key are shown, and the expiry has one field', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, `${NO_LICENSES}&create=yes`);
  const drawer = page.getByRole('dialog', { name: 'Create license' });
  const key = newKey();
  await drawer.getByText('Enter a key').click();
  const field = drawer.getByLabel('License key');
  await field.fill(` ${key} `);
  await drawer.getByText('The key begins or ends with a space.').waitFor();
  await drawer.getByRole('button', { name: 'Create license' }).click();
  const question = page.getByRole('dialog', { name: 'Save the key with its spaces?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await drawer.getByRole('button', { name: 'Remove spaces' }).click();
  assert.equal(await field.inputValue(), key);
  await expiryOf(page).click();
  await page.getByRole('option', { name: 'In 30 days' }).click();
  await drawer.getByRole('button', { name: 'Create license' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByText(/^Expires in (30 days|4 weeks|last month|next month)/).waitFor();
  await page.getByText('Imported or entered').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit' });
  assert.equal(await expiryOf(page).inputValue(), 'On a date…');
  await edit.getByLabel('Date and time').fill('2041-06-30T12:00');
  await edit.getByRole('button', { name: 'Save' }).click();
  await page.getByText('30 Jun 2041').first().waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await expiryOf(page).click();
  await page.getByRole('option', { name: 'Never' }).click();
  await edit.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Never expires').waitFor();
  assert.equal((await api.ok('GET', `/licenses/${key}`)).expires_at, null);
});

test('a refused new license shows the error at its field', async (t) => {
  const page = await openAs(t, api, 'owner');
  const [taken] = api.samples.keys;
  await goTo(page, `${NO_LICENSES}&create=yes`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Enter a key').click();
  await dialog.getByLabel('License key').fill(String(taken));
  await dialog.getByRole('button', { name: 'Create license' }).click();
  await dialog
    .getByText(/already|exists|taken/i)
    .first()
    .waitFor();
  await dialog.getByLabel('Order').fill('#1002');
  await dialog.getByLabel('Product').fill('Aurora');
  await dialog.getByRole('button', { name: 'Create license' }).click();
  await dialog.getByText('Enter a whole number.').waitFor();
  await dialog.getByText('Enter a product ID.').waitFor();
  await dialog.getByText('Its ID in your shop.').first().waitFor();
  await dialog.getByText('It decides which software the license may update.').waitFor();
});
