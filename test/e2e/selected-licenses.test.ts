import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Role } from '../../src/domain/user.ts';
import { textOf } from '../support/console/browser.ts';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { goTo, hold, loaded, showsLicenses } from './pages.ts';

const api = await startConsole({ after });

/** Creates 600 licenses of a product, and selects all of them in the list. */
async function openSelected(t: TestContext, role: Role, product: number): Promise<Page> {
  const { id } = await api.generator();
  const json = { amount: 600, save: true, product_id: product };
  await api.ok('POST', `/generators/${id}/generate`, { json });
  const page = await openAs(t, api, role);
  await goTo(page, `/licenses?product=${product}`);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Select all matching licenses' }).click();
  await page.getByText('600 selected').waitFor();
  return page;
}

/** Starts to disable the selected licenses. The first answer waits until the returned function is called. */
async function holdDisabling(page: Page): Promise<() => void> {
  const goOn = await hold(page, '**/licenses/bulk');
  await page.getByRole('button', { name: 'Set status' }).click();
  await page.getByRole('menuitem', { name: 'Disabled' }).click();
  await page.getByText('0 of 600 done').waitFor();
  return goOn;
}

/** Asserts that 500 licenses of the product are disabled, and that undoing it enables them. */
async function undoOf500(page: Page, product: number): Promise<void> {
  const disabled = async () =>
    (await api.call('GET', '/licenses', { query: { product_id: product, status: 5 } })).headers.get(
      'x-wp-total',
    );
  assert.equal(await disabled(), '500');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone').first().waitFor();
  assert.equal(await disabled(), '0');
}

test('a bulk status change is undone', async (t) => {
  const page = await openAs(t, api, 'owner');
  const order = 99001;
  const made = await Promise.all([3, 3, 2].map((status) => api.license({ order_id: order, status })));
  const statuses = async () =>
    (await Promise.all(made.map(({ license_key }) => api.ok('GET', `/licenses/${license_key}`)))).map(
      ({ status }) => status,
    );
  await goTo(page, `/licenses?search=order:${order}`);
  await showsLicenses(page, 3);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Set status' }).click();
  await page.getByRole('menuitem', { name: 'Disabled' }).click();
  await page.getByText('3 licenses changed.').first().waitFor();
  assert.deepEqual(await statuses(), [5, 5, 5]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone').first().waitFor();
  assert.deepEqual(await statuses(), [3, 3, 2]);
});

test('a bulk change that fails halfway reports and undoes its first chunk', async (t) => {
  const page = await openSelected(t, 'owner', 4242);
  let asked = 0;
  const refusal = { code: 'data_error', message: 'Not now.', data: { status: 409 } };
  await page.route('**/licenses/bulk', (route) =>
    ++asked === 2
      ? route.fulfill({ status: 409, headers: { 'x-request-id': '1' }, json: refusal })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Set status' }).click();
  await page.getByRole('menuitem', { name: 'Disabled' }).click();
  await page.getByText('Not now.').waitFor();
  await page.getByText('500 licenses changed.').waitFor();
  // A retry continues with the rest.
  await page.getByText('100 selected').waitFor();
  await undoOf500(page, 4242);
});

test('a bulk change is stopped between chunks and undone', async (t) => {
  const page = await openSelected(t, 'owner', 4343);
  const goOn = await holdDisabling(page);
  await page.getByRole('button', { name: 'Stop' }).click();
  goOn();
  await page
    .getByText('500 licenses changed. Stopped: 100 are unchanged and still selected.')
    .first()
    .waitFor();
  await page.getByText('100 selected').waitFor();
  await undoOf500(page, 4343);
});

test('leaving a bulk change halfway asks first, stops it, and keeps the rest selected', async (t) => {
  const page = await openSelected(t, 'owner', 4646);
  const goOn = await holdDisabling(page);
  const question = page.getByRole('dialog', { name: 'Stop before all licenses are done?' });
  // Turning the pages of the list does not end the selection.
  await page.getByRole('button', { name: 'Older' }).click();
  await page.waitForURL(/before=/);
  await page.getByRole('button', { name: 'Newer' }).click();
  await page.waitForURL(/licenses\?product=4646$/);
  await page.getByRole('searchbox').fill('order:1');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  assert.match(page.url(), /licenses\?product=4646$/);
  await page.getByText('0 of 600 done').waitFor();
  await page.locator('tbody tr[data-to]').first().getByRole('link').click();
  await question.getByRole('button', { name: 'Stop and leave' }).click();
  goOn();
  await page.waitForURL(/licenses\/\d+$/);
  await page.getByText('500 licenses changed. Stopped: 100 are unchanged').first().waitFor();
  await page.goBack();
  await page.getByText('100 selected').waitFor();
});

test('an export contains the whole selection', async (t) => {
  const page = await openSelected(t, 'manager', 4444);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const download = await downloading;
  assert.match(download.suggestedFilename(), /^licenses-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await textOf(download)).trimEnd().split('\n');
  assert.equal(lines.length, 601);
});

test('deleting licenses asks first, with their number, and can be cancelled', async (t) => {
  const page = await openAs(t, api, 'manager');
  const order = 99002;
  for (const _ of [1, 2]) await api.license({ order_id: order });
  await goTo(page, `/licenses?search=order:${order}`);
  await showsLicenses(page, 2);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  const remove = page.getByRole('button', { name: 'Delete', exact: true });
  await remove.click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 licenses?' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await showsLicenses(page, 2);
  await remove.click();
  await dialog.getByRole('button', { name: 'Delete 2 licenses' }).click();
  await page.getByText('No licenses match').waitFor();
});

test('deleting more than 100 licenses requires typing their number', async (t) => {
  const { id } = await api.generator();
  await api.ok('POST', `/generators/${id}/generate`, {
    json: { amount: 101, save: true, product_id: 646464 },
  });
  const page = await openAs(t, api, 'manager');
  await goTo(page, '/licenses?search=product:646464');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Select all matching licenses' }).click();
  await page.getByText('101 selected').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 101 licenses?' });
  const remove = dialog.getByRole('button', { name: 'Delete 101 licenses' });
  const number = dialog.getByLabel('Type 101 to confirm');
  await number.fill('100');
  assert.equal(await remove.isDisabled(), true);
  await number.fill('101');
  await remove.click();
  await page.getByText('No licenses match').waitFor();
});

test('a selection ends with the filter it was made under', async (t) => {
  const { id } = await api.generator();
  await api.ok('POST', `/generators/${id}/generate`, { json: { amount: 60, save: true, product_id: 4545 } });
  const other = await api.license({ order_id: 99003 });
  const page = await openAs(t, api, 'owner');
  const tick = (name: string) => page.getByRole('checkbox', { name });
  const search = async (text: string) => {
    await page.getByRole('searchbox').fill(text);
    await page.waitForURL((url) => url.searchParams.get('search') === text);
  };
  await goTo(page, '/licenses?search=product:4545');
  await tick('Select all on this page').check();

  // The answer comes when the user has turned to another search.
  let goOn = await hold(page, /licenses\?.*limit=200/);
  await page.getByRole('button', { name: 'Select all matching licenses' }).click();
  await search('order:99003');
  await page.getByText('1 total').waitFor();
  await tick(`Select ${other.license_key}`).check();
  goOn();
  await loaded(page);
  assert.equal(await page.getByText('1 selected').count(), 1);

  // Rows of the previous search cannot be selected while the next ones load.
  goOn = await hold(page, /licenses\?.*99004/);
  await search('order:99004');
  await tick('Select all on this page').click();
  goOn();
  await page.getByText('No licenses match').waitFor();
  assert.equal(await page.getByText(/selected$/).count(), 0);

  await page.goBack();
  await showsLicenses(page, 1);
  assert.equal(await page.getByText(/selected$/).count(), 0);
  await tick(`Select ${other.license_key}`).check();
  await page.getByRole('navigation').getByRole('link', { name: 'Licenses' }).click();
  await page.waitForURL(/licenses$/);
  await loaded(page);
  assert.equal(await page.getByText(/selected$/).count(), 0);
});

test('a new search of the trash ends its selection', async (t) => {
  const { license_key: key } = await api.license();
  await api.ok('DELETE', `/licenses/${key}`);
  const page = await openAs(t, api, 'owner');
  await goTo(page, `/licenses/trash?key=${key}`);
  await page.getByRole('checkbox', { name: `Select ${key}` }).check();
  await page.getByText('1 selected').waitFor();
  await page.getByRole('searchbox').fill('');
  await page.waitForURL(/trash$/);
  await loaded(page);
  assert.equal(await page.getByText('1 selected').count(), 0);
});

test('a selection that exceeds the maximum says how many are selected', async (t) => {
  const page = await openAs(t, api, 'owner');
  // Answers as if the licenses with the IDs from 1 to 10,200 existed.
  await page.route(/\/console\/api\/licenses(\?|$)/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const total = { total: 10_000, total_is_more: true };
    if (query.get('limit') === '200') {
      const before = Number(query.get('before') ?? 10_201);
      const items = Array.from({ length: 200 }, (_, i) => ({ id: before - 1 - i }));
      const next = before > 201 ? String(before - 200) : null;
      return route.fulfill({ json: { items, next, ...total } });
    }
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...total } });
  });
  await page.route(/BulkActions/, (route) => setTimeout(500).then(() => route.continue()));
  await goTo(page, '/licenses');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  const offer = page.getByRole('button', { name: 'Select all matching licenses' });
  await offer.waitFor();
  // Buttons that appear later would move this one away from the pointer.
  assert.equal(await page.getByRole('button', { name: 'Delete', exact: true }).count(), 1);
  await offer.click();
  await page.getByText('The newest 10,000 of 10,000+ are selected').first().waitFor();
  assert.equal(await offer.count(), 0);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog', { name: 'Delete 10,000 licenses?' }).waitFor();
});
