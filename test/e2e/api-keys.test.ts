import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openAs, PHONE, startConsole } from '../support/console/console-browser.ts';
import {
  assertAccessible,
  assertFocusVisible,
  assertNoSidewaysScroll,
} from '../support/console/console-page.ts';
import { goTo, loaded, NO_LICENSES, pressEnterIn, turnTo } from './pages.ts';

const api = await startConsole({ after });

/** Reads the new key and secret, which are shown only once, and closes the dialog. */
async function takePair(page: Page) {
  const made = page.getByRole('dialog', { name: 'New API key' });
  const text = await made.innerText();
  const consumerKey = /ck_[0-9a-f]{40}/.exec(text)?.[0] ?? '';
  const consumerSecret = /cs_[0-9a-f]{40}/.exec(text)?.[0] ?? '';
  // Escape must not close the dialog: the secret is shown only once.
  await page.keyboard.press('Escape');
  await made.getByRole('button', { name: 'Done' }).click();
  await made.waitFor({ state: 'hidden' });
  return { consumerKey, consumerSecret };
}

const keyForm = (page: Page): Locator => page.getByRole('dialog', { name: 'Create API key' });

test('a new API key is shown once, works, and is refused after revocation', async (t) => {
  const page = await openAs(t, api, 'manager');
  await goTo(page, '/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const form = keyForm(page);
  await form.getByLabel('Description').fill('Spring sale');
  // Few keys need this section, so it is closed.
  const answers = form.getByRole('combobox', { name: 'Answers of the v1 API' });
  assert.equal(await answers.isVisible(), false);
  await form.getByText('Compatibility with WordPress plugins').click();
  await answers.click();
  await page.getByRole('option', { name: 'Like Digital License Manager' }).click();
  await assertAccessible(page, '[role="dialog"]');
  // The form stays open until the response arrives: closing it would lose the secret.
  let goOn = () => {};
  const asked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route('**/console/api/api-keys', async (route) => {
    await asked;
    await route.continue();
  });
  await form.getByRole('button', { name: 'Create API key' }).click();
  await form.getByRole('button', { name: 'Cancel' }).and(page.locator(':disabled')).waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  goOn();
  await page.getByRole('dialog', { name: 'New API key' }).waitFor();
  await assertAccessible(page, '[role="dialog"]');
  const credentials = await takePair(page);
  const { token } = await api.activation((await api.license()).license_key);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  await api.ok('GET', `/licenses/validate/${token}`, { credentials });
  await api.ok('GET', '/licenses', { credentials });
  await page.reload();
  await loaded(page);
  assert.ok(!(await page.locator('body').innerText()).includes(credentials.consumerSecret));

  const row = page.getByRole('row', { name: /Spring sale/ });
  await row.getByRole('button', { name: /Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Spring sale' });
  await edit.getByRole('combobox', { name: 'Answers of the v1 API' }).click();
  await page.getByRole('option', { name: 'As documented' }).click();
  await edit.getByRole('combobox', { name: 'Answers of the lmfwc/v2 API' }).click();
  await page.getByRole('option', { name: 'Like License Manager for WooCommerce 2.x' }).click();
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('API key updated').first().waitFor();
  await api.fails(404, 'data_error', 'GET', `/licenses/validate/${token}`, { credentials });
  const [stored] = await api.service.store.read.apiKeys.list();
  assert.deepEqual([stored?.compatibility, stored?.lmfwcVersion], ['documented', 2]);

  await row.getByRole('button', { name: /Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('API key revoked.').first().waitFor();
  assert.equal((await api.call('GET', '/licenses', { credentials })).status, 401);
  await row.getByText('Revoked').waitFor();

  await row.getByRole('button', { name: /Actions for/ }).click();
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Audit trail']);
  await page.getByRole('menuitem', { name: 'Audit trail' }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor();
  await page.getByRole('button', { name: `Remove filter: API key ${stored?.id}` }).waitFor();
});

test('the keyboard alone creates a key for two products and three endpoints, then narrows it', async (t) => {
  // The window is tall enough that no checkbox is cut off: axe would measure it as too small.
  const page = await openAs(t, api, 'manager', { viewport: { width: 1280, height: 1600 } });
  await goTo(page, '/api-keys');
  async function tabTo(element: Locator): Promise<void> {
    // Finding the element by role and name takes longer than pressing Tab.
    const found = await element.elementHandle();
    // Mantine's focus trap checks a Tab in a date field only after a timeout, and would undo a second Tab before that.
    const isReached = () =>
      found?.evaluate((one) => new Promise((done) => setTimeout(() => done(one.matches(':focus')))));
    for (let i = 0; !(await isReached()); i++) {
      assert.ok(i < 80, `Tab does not lead to ${element}`);
      await page.keyboard.press('Tab');
    }
    await assertFocusVisible(page);
  }
  const press = async (element: Locator, key: string) => {
    await tabTo(element);
    await page.keyboard.press(key);
  };
  await press(page.getByRole('button', { name: 'Create API key' }), 'Enter');
  const form = keyForm(page);
  await tabTo(form.getByLabel('Description'));
  await page.keyboard.type('Two products');
  await tabTo(form.getByRole('radio', { name: 'Full access' }));
  await page.keyboard.press('ArrowUp');
  const licenses = form.getByRole('group', { name: 'Endpoints' });
  for (const name of ['List', 'Look up by key', 'Create'])
    await press(licenses.getByRole('checkbox', { name, exact: true }).first(), 'Space');
  const products = form.getByRole('group', { name: 'Products' });
  await press(products.getByRole('checkbox', { name: 'All products' }), 'Space');
  // A key without products is rejected.
  await press(form.getByRole('button', { name: 'Create API key' }), 'Enter');
  await products.getByText('Select at least one.').waitFor();
  await press(products.getByRole('checkbox', { name: '101 · Aurora Forms' }), 'Space');
  // No record has this product yet.
  await tabTo(products.getByLabel('Another product ID'));
  await page.keyboard.type('a');
  await page.keyboard.press('Enter');
  await products.getByText('Enter a product ID.').waitFor();
  await page.keyboard.press('Backspace');
  await page.keyboard.type('88011');
  await page.keyboard.press('Enter');
  assert.ok(await products.getByRole('checkbox', { name: '88011' }).isChecked());
  await assertAccessible(page, '[role="dialog"]');
  await press(form.getByRole('button', { name: 'Create API key' }), 'Enter');
  const credentials = await takePair(page);

  const statusOf = async (method: string, path: string, json?: object) =>
    (await api.call(method, path, { credentials, ...(json && { json }) })).status;
  const keyOf = async (product_id: number) => (await api.license({ product_id })).license_key;
  const [ours, theirs] = [await keyOf(88011), await keyOf(205)];
  assert.deepEqual(
    [
      await statusOf('GET', '/licenses'),
      await statusOf('GET', `/licenses/${ours}`),
      await statusOf('GET', `/licenses/${await keyOf(101)}`),
      await statusOf('GET', `/licenses/${theirs}`),
      await statusOf('GET', '/generators'),
      await statusOf('GET', `/licenses/activate/${ours}`),
    ],
    [200, 200, 200, 404, 403, 403],
  );

  const row = page.getByRole('row', { name: /Two products/ });
  await press(row.getByRole('button', { name: /Actions for/ }), 'Enter');
  await pressEnterIn(page.getByRole('menu'), page.getByRole('menuitem', { name: 'Edit…' }));
  const edit = page.getByRole('dialog', { name: 'Edit Two products' });
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  assert.ok(await edit.getByRole('radio', { name: 'Selected endpoints' }).isChecked());
  await assertAccessible(page, '[role="dialog"]');
  await press(edit.getByRole('checkbox', { name: 'List', exact: true }).first(), 'Space');
  await press(edit.getByRole('checkbox', { name: '88011' }), 'Space');
  await press(edit.getByRole('button', { name: 'Save changes' }), 'Enter');
  await page.getByText('API key updated').first().waitFor();
  await row.getByText('2 endpoints').waitFor();
  assert.deepEqual(
    [
      await statusOf('GET', '/licenses'),
      await statusOf('GET', `/licenses/${ours}`),
      await statusOf('GET', `/licenses/${await keyOf(101)}`),
    ],
    [403, 404, 200],
  );
});

test('products are searched by ID and name, also on a phone', async (t) => {
  const many = Array.from({ length: 30 }, (_, i) => 70_000 + i);
  await api.software({ name: 'Quarry', product_ids: many });
  const page = await openAs(t, api, 'manager', PHONE);
  await goTo(page, '/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const form = keyForm(page);
  await form.getByLabel('All products').uncheck();
  const search = form.getByLabel('Find a product or enter a product ID');
  await search.fill('quarry');
  const boxes = form.getByRole('group', { name: 'Products' }).getByRole('checkbox', { name: / · / });
  assert.equal(await boxes.count(), many.length);
  await search.fill('70029');
  await form.getByRole('checkbox', { name: '70029 · Quarry' }).check();
  await assertAccessible(page, '[role="dialog"]');
  await assertNoSidewaysScroll(page);
  await search.fill('');
  await form.getByText('1 product selected.').waitFor();
});

test('a product field suggests known products and accepts others', async (t) => {
  const page = await openAs(t, api, 'manager');
  await goTo(page, `${NO_LICENSES}&create=yes`);
  const form = page.getByRole('dialog', { name: 'Create license' });
  await form.getByText('Enter a key').click();
  await form.getByLabel('License key').fill(`E2E-${Date.now()}`);
  const product = form.getByRole('combobox', { name: 'Product' });
  await product.fill('aurora b');
  await page.getByRole('option', { name: '102 · Aurora Bookings' }).click();
  assert.equal(await product.inputValue(), '102');
  await form.getByRole('button', { name: 'Create license' }).click();
  await page.getByRole('definition').filter({ hasText: '102 · Aurora Bookings' }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit' });
  await edit.getByRole('combobox', { name: 'Product' }).fill('999123');
  await edit.getByRole('button', { name: 'Save' }).click();
  await page
    .getByRole('definition')
    .filter({ hasText: /^999123$/ })
    .waitFor();
  await turnTo(page, '/licenses?product=102');
  await page.getByRole('row').getByText('Aurora Bookings').first().waitFor();
});

test('an owner finds the API reference and makes a backup', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, '/api-keys');
  const reference = page.getByRole('link', { name: 'API reference' });
  assert.equal(await reference.getAttribute('href'), '/docs/');
  await turnTo(page, '/settings');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByText(/^Backup made: .*\.tar/).waitFor();
});

test('an API key is not created with half an expiry', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, '/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const form = page.getByRole('dialog', { name: 'Create API key' });
  const expiry = form.getByLabel('Expires');
  await expiry.pressSequentially('12');
  await form.getByRole('button', { name: 'Create API key' }).click();
  await expiry.and(page.locator(':focus')).waitFor();
  await expiry.fill('2999-01-01');
  await form.getByRole('button', { name: 'Create API key' }).click();
  await page.getByRole('dialog', { name: 'New API key' }).waitFor();
  const [stored] = await api.service.store.read.apiKeys.list();
  assert.equal(stored?.expiresAt, '2999-01-01 23:59:59');
});
