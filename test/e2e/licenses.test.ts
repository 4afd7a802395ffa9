import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { untilTrue } from '../support/console/console-page.ts';
import { newKey, type Record_ } from '../support/http/api.ts';
import { goTo, hold, isFocused, loaded, NO_LICENSES, showsLicenses, turnTo } from './pages.ts';

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
});

test('a trailing space stays in the search field after the search', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, '/licenses');
  await searchOf(page).pressSequentially('north ');
  await page.waitForURL(/search=north/);
  await loaded(page);
  await searchOf(page).pressSequentially('wind');
  await page.waitForURL(/search=north(\+|%20)wind/);
  assert.equal(await searchOf(page).inputValue(), 'north wind');
});

test('licenses are found by key, key suffix, order, product, customer, label and address', async (t) => {
  const page = await openAs(t, api, 'owner');
  const license = await api.license({ order_id: 88001, product_id: 88002, user_id: 88003 });
  const key: string = license.license_key;
  const label = `workshop-${key.slice(-6).toLowerCase()}.example`;
  await api.activation(key, { label });
  await goTo(page, '/licenses');
  const terms = [
    key,
    key.slice(-6),
    '88001',
    'order:88001',
    'product:88002',
    'customer:88003',
    label.slice(0, 12),
  ];
  for (const term of [...terms, `label:${label}`]) {
    await searchOf(page).fill(term);
    await page.waitForURL((url) => url.searchParams.get('search') === term);
    await showsLicenses(page, 1);
    assert.equal(await rowsOf(page).getAttribute('data-to'), `/licenses/${license.id}`, term);
  }
  await searchOf(page).fill('ip:127.0.0.1');
  await page.waitForURL((url) => url.searchParams.get('search') === 'ip:127.0.0.1');
  await page.locator(`tr[data-to="/licenses/${license.id}"]`).waitFor();
  await searchOf(page).fill('nobody has this');
  await page.getByText('No licenses match').waitFor();
  // That says nothing about the next text, whose answer may take long.
  const goOn = await hold(page, /licenses\?.*search=or/);
  await searchOf(page).fill('or that');
  await page.getByText('No licenses match').waitFor({ state: 'hidden' });
  goOn();
  await page.getByText('No licenses match').waitFor();
  await page.getByText('For the start of an email address, type “email:” before it.').waitFor();
  await page.getByRole('link', { name: 'Look for it among the deleted licenses' }).click();
  await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
  // The text may be no key.
  await page.getByText('No deleted license has this key').waitFor();
  await page.getByRole('link', { name: 'Show all deleted licenses' }).click();
  await page.waitForURL((url) => !url.searchParams.has('key'));
});

test('the list keeps filters, page and selection, selects ranges, sorts, and saves views', async (t) => {
  const page = await openAs(t, api, 'owner');
  const product_id = 77_100;
  const years = [2041, 2039, 2042, 2040];
  const made: Record_[] = [];
  for (const year of years) made.push(await api.license({ product_id, expires_at: `${year}-01-01` }));
  await goTo(page, '/licenses');
  const frame = "document.querySelector('section:has(> table)').scrollTop";
  const tenth = rowsOf(page).nth(9).getByRole('link').first();
  await page.evaluate(`${frame} = 180`);
  await tenth.click();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('link', { name: 'All licenses' }).click();
  await tenth.waitFor();
  await untilTrue(page, `${frame} === 180`);

  await page.getByRole('combobox', { name: 'Product' }).fill(String(product_id));
  await page.getByRole('option', { name: String(product_id) }).click();
  await showsLicenses(page, 4);
  const expires = page.getByRole('columnheader', { name: 'Expires' });
  await page.getByRole('button', { name: 'Expires' }).click();
  await page.waitForURL(/sort=expires/);
  await loaded(page);
  const order = () => rowsOf(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-to')));
  const paths = [1, 3, 0, 2].map((at) => `/licenses/${made[at]?.id}`);
  assert.deepEqual(await order(), paths);
  assert.equal(await expires.getAttribute('aria-sort'), 'ascending');

  const boxes = rowsOf(page).getByRole('checkbox');
  await boxes.nth(0).click();
  await boxes.nth(2).click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await rowsOf(page).nth(1).getByRole('link').click();
  await page.getByText(/^Expires in/).waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('link', { name: 'All licenses' }).click();
  await page.waitForURL(/product=77100.*sort=expires/);
  await page.getByText('3 selected').waitFor();
  assert.deepEqual(await order(), paths);

  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save current view…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Forms by end');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /^Remove filter Product: 77100/ }).click();
  await page.waitForURL((url) => url.searchParams.get('product') === null);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Forms by end' }).click();
  await showsLicenses(page, 4);
  assert.deepEqual(await order(), paths);
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Expires from').fill('2040-01-01');
  await page.getByLabel('Expires until').fill('2041-06-30');
  await page.getByRole('button', { name: 'Apply' }).click();
  await showsLicenses(page, 2);
  await page.getByRole('button', { name: 'Remove filter Expires from: 1 Jan 2040' }).click();
  await showsLicenses(page, 3);
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await page.waitForURL((url) => url.searchParams.get('expiresTo') === null);

  // The last day that a filter can name. Its end is no time that the API accepts.
  await api.license({ product_id: 77_101 });
  await api.license({ product_id: 77_101, expires_at: '9999-12-31 23:59:59' });
  await goTo(page, '/licenses?product=77101&expiresTo=9999-12-31&createdTo=9999-12-31');
  await showsLicenses(page, 1);

  // A list filtered by expiry dates is sorted by expiry.
  await goTo(page, '/licenses?product=77100&expiresTo=2043-01-01');
  assert.deepEqual(await order(), paths.toReversed());
  assert.equal(await expires.getAttribute('aria-sort'), 'descending');
  await expires.getByRole('button').click();
  await page.waitForURL(/sort=expires/);
  await loaded(page);
  assert.deepEqual(await order(), paths);
});

test('back and forward restore the filters and the page of a list', async (t) => {
  const page = await openAs(t, api, 'viewer');
  await goTo(page, '/licenses?status=active');
  const first = await rowsOf(page).first().getAttribute('data-to');
  const announcement = page.getByRole('status').filter({ hasText: '50 rows shown' });
  const announced = await announcement.textContent();
  const goOn = await hold(page, /licenses\?.*before=/);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.waitForURL(/before=/);
  // Until the next page arrives, nobody knows which follows.
  await page.getByRole('button', { name: 'Older' }).click();
  goOn();
  await loaded(page);
  const second = await rowsOf(page).first().getAttribute('data-to');
  assert.notEqual(second, first);
  // A live region speaks again if its text differs, here by a space.
  assert.notEqual(await announcement.textContent(), announced);
  await rowsOf(page).first().getByRole('link').click();
  await page.waitForURL(`**/console${second}`);
  await page.goBack();
  await page.waitForURL(/status=active.*before=/);
  await page.locator(`tr[data-to="${second}"]`).waitFor();
  await loaded(page);
  const again = await announcement.textContent();
  await page.goBack();
  await page.locator(`tr[data-to="${first}"]`).waitFor();
  // This page needs no request.
  await loaded(page);
  assert.notEqual(await announcement.textContent(), again);
  assert.match(page.url(), /status=active/);
  await page.goForward();
  await page.locator(`tr[data-to="${second}"]`).waitFor();
  await page.reload();
  await page.locator(`tr[data-to="${second}"]`).waitFor();
});
