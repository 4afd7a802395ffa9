import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import {
  assertAccessible,
  assertAccessibleInBothSchemes,
  assertFocusVisible,
  untilTrue,
} from '../support/console/console-page.ts';
import { goTo, isFocused, loaded, NO_LICENSES, pressEnterIn, turnTo, withFewRows } from './pages.ts';

const api = await startConsole({ after });

/** The dialogs and menus, by the button or menu item that opens them. */
const OPENED: readonly { path: string; button: string | RegExp; item?: string | RegExp }[] = [
  { path: '/', button: /^Extend/ },
  { path: '/licenses', button: 'Create license' },
  { path: '/licenses', button: 'Columns' },
  { path: '/licenses/1', button: 'Edit' },
  { path: '/licenses/1', button: 'More actions', item: /Delete/ },
  { path: '/licenses/1', button: 'Status' },
  { path: '/licenses/1', button: 'Extend', item: /Custom/ },
  { path: '/generators', button: 'Create generator' },
  { path: '/generators', button: /^Actions for/, item: 'Edit' },
  { path: '/software', button: 'Create software' },
  { path: '/software/1', button: 'Publish release' },
  { path: '/software/1', button: /^Actions for version/, item: 'Edit' },
  { path: '/software/1', button: /^Actions for/, item: 'Edit' },
  { path: '/api-keys', button: 'Create API key' },
  { path: '/api-keys', button: /^Actions for/, item: /Revoke/ },
  { path: '/events', button: 'Create endpoint' },
  { path: '/users', button: 'Invite user' },
  { path: '/users', button: /^Actions for/, item: 'Edit' },
  { path: '/', button: 'Account and preferences' },
];

/** Opens a dialog or menu by keyboard, checks it, closes it, and expects the focus back on the button. */
async function lookAt(page: Page, button: Locator, item?: string | RegExp): Promise<void> {
  await button.focus();
  await page.keyboard.press('Enter');
  const menu = page.getByRole('menu');
  if ((await button.getAttribute('aria-haspopup')) === 'menu') {
    const items = menu.locator('[data-menu-item]');
    await isFocused(items.first());
    await page.keyboard.press('End');
    await isFocused(items.last());
    await page.keyboard.press('Home');
    await isFocused(items.first());
    await assertFocusVisible(page);
    // Menus look alike. Each dialog leaves the page in the other scheme, so menus before dialogs appear in both.
    const check = item === undefined ? assertAccessibleInBothSchemes : assertAccessible;
    await check(page, '[role="menu"]');
  }
  if (item !== undefined) {
    await pressEnterIn(menu, page.getByRole('menuitem', { name: item }));
    await menu.waitFor({ state: 'hidden' });
  }
  const dialog = page.getByRole('dialog');
  if (item !== undefined || !(await menu.isVisible())) {
    await dialog.waitFor();
    // A form opens with the focus on a field: Enter must not close it.
    await untilTrue(
      page,
      `document.activeElement.closest('[role="dialog"] form, [role="dialog"]:not(:has(form))') !== null`,
    );
    await assertAccessibleInBothSchemes(page, '[role="dialog"]');
    const banners = 'header:not([role="none"]):not(section > header)';
    assert.equal(await page.locator(banners).count(), 1, 'the page must have one banner');
  }
  await page.keyboard.press('Escape');
  await dialog.or(menu).waitFor({ state: 'hidden' });
  await isFocused(button);
}

test('menus, dialogs and drawers are accessible in both color schemes and return the focus', async (t) => {
  const page = await openAs(t, api, 'owner');
  let shown = '';
  for (const { path, button, item } of OPENED)
    await t.test(`${path} ${button} ${item ?? ''}`, async () => {
      if (path !== shown) await turnTo(page, withFewRows(path));
      shown = path;
      await lookAt(page, page.getByRole('button', { name: button, exact: true }).first(), item);
    });
});

test('no two parts of a page have the same name', async (t) => {
  const page = await openAs(t, api, 'viewer');
  await goTo(page, '/software/1');
  assert.equal(await page.getByRole('region', { name: 'Releases' }).count(), 1);
});

test('closing a form opened by address or palette leaves the focus on the page', async (t) => {
  const page = await openAs(t, api, 'owner');
  const closed = async () => {
    await page.getByRole('dialog', { name: 'Create license' }).waitFor();
    await untilTrue(page, `document.activeElement.closest('[role="dialog"]') !== null`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await untilTrue(page, `document.activeElement.closest('main') !== null`);
  };
  await goTo(page, `${NO_LICENSES}&create=yes`);
  await closed();
  await turnTo(page, '/audit');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('textbox').fill('Create license');
  await page.keyboard.press('Enter');
  await closed();
});

test('the focus stays in the row of an action', async (t) => {
  const page = await openAs(t, api, 'owner');
  const license = await api.license();
  const { token } = await api.activation(license.license_key, { label: 'first' });
  await api.activation(license.license_key, { label: 'second' });
  assert.ok(token);
  await goTo(page, `/licenses/${license.id}`);
  const row = page.getByRole('row', { name: /first/ });
  await row.getByRole('button', { name: /^Deactivate/ }).focus();
  await page.keyboard.press('Enter');
  await isFocused(row.getByRole('button', { name: /^Reactivate/ }));
  // After a deletion, the focus is on the page.
  await row.getByRole('button', { name: /^Delete/ }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await pressEnterIn(dialog, dialog.getByRole('button', { name: /^Delete/ }));
  await row.waitFor({ state: 'hidden' });
  await untilTrue(page, `document.activeElement.closest('main') !== null`);

  await turnTo(page, '/software/1');
  const published = page.locator('tbody tr').filter({ hasText: 'Published' }).first();
  const version = (await published.locator('td').first().innerText()).trim();
  const menu = page.getByRole('button', { name: `Actions for version ${version}`, exact: true });
  await page.getByRole('button', { name: `Yank ${version}`, exact: true }).focus();
  await page.keyboard.press('Enter');
  await pressEnterIn(dialog, dialog.getByRole('button', { name: 'Yank release' }));
  await dialog.waitFor({ state: 'hidden' });
  await loaded(page);
  await isFocused(menu);
});
