import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { untilTrue } from '../support/console/console-page.ts';
import type { Record_ } from '../support/http/api.ts';
import { goTo, hold, loaded, showsLicenses } from './pages.ts';

const api = await startConsole({ after });

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Licenses' }).locator('tbody tr[data-to]');
const searchOf = (page: Page) => page.getByRole('searchbox');

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
