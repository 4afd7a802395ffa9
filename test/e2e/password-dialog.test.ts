import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SYSTEM } from '../../src/domain/actor.ts';
import { openPage } from '../support/console/browser.ts';
import { startConsole } from '../support/console/console-browser.ts';
import { assertAccessible, assertFocusVisible } from '../support/console/console-page.ts';
import { quickHash } from '../support/console/passwords.ts';
import { isFocused, loaded, pressEnterIn } from './pages.ts';

const PASSWORD = 'correct horse battery';
const EMAIL = 'mira@example.test';
const LATER_MS = 11 * 60_000;
let now = Date.now();
const api = await startConsole({ after }, { clock: () => now });

const emails = async () => (await api.service.store.read.users.list()).map(({ email }) => email);

async function signIn(page: Page): Promise<void> {
  await page.goto('/console/users');
  await page.getByLabel('Email address').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  await loaded(page);
}

test('an action that grants access asks for the password, works by keyboard alone, and then continues', async (t) => {
  const passwordHash = await quickHash(PASSWORD);
  const user = { name: 'Mira', email: EMAIL, role: 'owner', passwordHash } as const;
  assert.ok((await api.service.execute('create-user', user, SYSTEM)).ok);
  const page = await openPage(t, api.origin);
  await signIn(page);
  now += LATER_MS;

  await page.getByRole('button', { name: 'Invite user' }).focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Invite user' });
  await isFocused(form.getByLabel('Name'));
  await page.keyboard.type('Noor');
  await page.keyboard.press('Tab');
  const email = form.getByLabel('Email address');
  await isFocused(email);
  await page.keyboard.type('noor@example.test');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
  const password = dialog.getByLabel('Password', { exact: true });
  await isFocused(password);
  await assertFocusVisible(page);
  await assertAccessible(page, '[role="dialog"]');
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await dialog.getByText('Wrong password.').waitFor();
  await assertAccessible(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await isFocused(email);
  await form.getByText('Nothing was changed: this action requires your password.').waitFor();
  assert.equal(await email.inputValue(), 'noor@example.test');
  assert.ok(!(await emails()).includes('noor@example.test'));

  await page.keyboard.press('Enter');
  await isFocused(password);
  assert.equal(await password.inputValue(), '');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  const link = page.getByRole('dialog', { name: /link/i });
  await link.waitFor();
  assert.ok((await emails()).includes('noor@example.test'));
  await page.keyboard.press('Escape');
  await link.waitFor({ state: 'hidden' });

  // Within ten minutes the console does not ask again. Afterwards, the focus returns through menu and dialog.
  const menu = page.getByRole('button', { name: 'Actions for Noor' });
  const invite = async () => {
    await menu.focus();
    await page.keyboard.press('Enter');
    await pressEnterIn(page.getByRole('menu'), page.getByRole('menuitem', { name: 'New invitation link' }));
  };
  await invite();
  await link.waitFor();
  await page.keyboard.press('Escape');
  await link.waitFor({ state: 'hidden' });
  now += LATER_MS;
  await invite();
  await isFocused(password);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await isFocused(menu);
});
