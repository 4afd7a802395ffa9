import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { signedIn } from '../support/console/console.ts';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { goTo, hold, isFocused, loaded, turnTo } from './pages.ts';

const api = await startConsole({ after });

/** Opens the palette, searches for an entry and runs it with Enter. */
async function choose(page: Page, typed: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('textbox', { name: 'Go to a page or search licenses' });
  await field.fill(typed);
  await page.getByRole('dialog').getByRole('button', { name: typed, exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await field.waitFor({ state: 'hidden' });
}

test('the command palette starts actions', async (t) => {
  const page = await openAs(t, api, 'owner');
  const dialog = (name: string) => page.getByRole('dialog', { name }).waitFor();
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const actions: Record<string, () => Promise<unknown>> = {
    'Create license': () => dialog('Create license'),
    'Create generator': () => dialog('New generator'),
    'Create API key': () => dialog('Create API key'),
    'Invite user': () => dialog('Invite user'),
    'Publish release': async () => {
      await page.getByRole('dialog').getByRole('link', { name: 'Aurora Forms' }).click();
      await dialog('New release of Aurora Forms');
    },
    'Import licenses from a CSV file': () => heading('Import'),
    'Appearance: Dark': () => page.locator('[data-mantine-color-scheme=dark]').waitFor(),
    'Appearance: Light': () => page.locator('[data-mantine-color-scheme=light]').waitFor(),
    'Keyboard shortcuts': () => dialog('Keyboard shortcuts'),
    'Export all licenses as CSV': async () =>
      assert.match((await downloading).suggestedFilename(), /^licenses-.*\.csv$/),
    'Language: Deutsch': async () => {
      await page.locator('html[lang=de]').waitFor();
      await heading('Generatoren');
    },
  };
  const downloading = page.waitForEvent('download', { timeout: 0 });
  for (const [entry, isDone] of Object.entries(actions))
    await t.test(entry, async () => {
      await turnTo(page, '/generators');
      await choose(page, entry);
      await isDone();
      await loaded(page);
      // The address does not start the action again on back and forward.
      assert.doesNotMatch(page.url(), /publish=|users\?create|generators\?create|api-keys\?create/);
    });
});

test('the command palette finds software by name, and licenses by status and expiry', async (t) => {
  const page = await openAs(t, api, 'viewer');
  await goTo(page, '/generators');
  const choices: Record<string, RegExp> = {
    'Harbor Backup': /software\/\d+$/,
    'Licenses: Disabled': /licenses\?status=disabled$/,
    'Licenses: Expired': /licenses\?expiry=expired$/,
  };
  for (const [entry, address] of Object.entries(choices)) {
    await choose(page, entry);
    await page.waitForURL(address);
    await loaded(page);
  }
  await page.keyboard.press('Control+k');
  const field = page.getByRole('textbox', { name: 'Go to a page or search licenses' });
  const dialog = page.getByRole('dialog');
  const entry = dialog.getByRole('button', { name: 'Licenses: Disabled' });
  await dialog.getByRole('button', { name: 'Licenses', exact: true }).waitFor();
  assert.equal(await entry.count(), 0);
  await field.fill('lic');
  await dialog.getByRole('button', { name: 'Search licenses for “lic”' }).waitFor();
  assert.equal(await entry.count(), 0);
  await field.fill('disa');
  await entry.waitFor();
});

test('inviting a user while another is being edited changes nobody', async (t) => {
  const { user } = await signedIn(api, 'viewer');
  const page = await openAs(t, api, 'owner');
  await goTo(page, '/users');
  await page.getByRole('button', { name: `Actions for ${user.name}` }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('dialog', { name: `Edit ${user.name}` }).waitFor();
  await choose(page, 'Invite user');
  const form = page.getByRole('dialog', { name: 'Invite user' });
  await form.getByLabel('Name').fill('Noor');
  await form.getByLabel('Email address').fill('noor@example.test');
  await page.keyboard.press('Enter');
  await form.waitFor({ state: 'hidden' });
  const users = await api.service.store.read.users.list();
  const emails = users.map(({ email }) => email);
  assert.ok(emails.includes(user.email) && emails.includes('noor@example.test'), emails.join(' '));
});

test('Enter opens the license that was found, even before the search has answered', async (t) => {
  const page = await openAs(t, api, 'owner');
  const { id, license_key: key } = await api.license({ order_id: 66_301 });
  const field = page.getByRole('textbox', { name: 'Go to a page or search licenses' });
  const opened = async () => {
    await page.waitForURL(new RegExp(`/licenses/${id}$`));
    await page.getByRole('heading', { level: 1, name: key }).waitFor();
    await field.waitFor({ state: 'hidden' });
  };
  await goTo(page, '/generators');
  await page.keyboard.press('Control+k');
  await field.fill('order:66301');
  await page.getByRole('dialog').getByRole('button', { name: key }).waitFor();
  await page.keyboard.press('Enter');
  await opened();
  await turnTo(page, '/generators');
  // At Enter the search has not begun, and its answer comes later.
  const goOn = await hold(page, '**/licenses?search=**');
  await page.keyboard.press('Control+k');
  // The field takes the focus a moment after it appears.
  await isFocused(field);
  await page.evaluate(`document.execCommand('insertText', false, '${key}');
    document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }))`);
  goOn();
  await opened();
});

test('Enter opens nothing that an earlier search has found', async (t) => {
  const page = await openAs(t, api, 'owner');
  const { license_key: earlier } = await api.license({ order_id: 66_302 });
  const { id, license_key: key } = await api.license({ order_id: 66_303 });
  const field = page.getByRole('textbox', { name: 'Go to a page or search licenses' });
  const open = async () => {
    await page.keyboard.press('Control+k');
    await isFocused(field);
  };
  await goTo(page, '/generators');
  await open();
  await field.fill('order:66302');
  await page.getByRole('dialog').getByRole('button', { name: earlier }).waitFor();
  const goOn = await hold(page, '**/licenses?search=**');
  await field.fill('order:66303');
  await field.press('Enter');
  goOn();
  await page.waitForURL(/licenses\/\d+$/);
  assert.match(page.url(), new RegExp(`/licenses/${id}$`));
  await page.getByRole('heading', { level: 1, name: key }).waitFor();
  await field.waitFor({ state: 'hidden' });

  // Closing the palette forgets an Enter that has opened nothing yet.
  await turnTo(page, '/generators');
  const goOnLater = await hold(page, '**/licenses?search=**');
  await open();
  await field.fill('order:66304');
  await field.press('Enter');
  await field.press('Escape');
  await field.waitFor({ state: 'hidden' });
  goOnLater();
  await open();
  await field.fill('order:66304');
  await page.getByRole('dialog').getByRole('button', { name: 'order:66304' }).waitFor();
  await loaded(page);
  assert.equal(await field.isVisible(), true);
  assert.match(page.url(), /generators$/);
});

test('the command palette signs out', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, '/generators');
  await choose(page, 'Sign out');
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

const OFFERED: [role: 'manager' | 'support' | 'viewer', actions: string[]][] = [
  [
    'manager',
    [
      ...['Create license', 'Export all licenses as CSV', 'Open the trash', 'Create generator'],
      ...['Publish release', 'Import licenses from a CSV file', 'Create API key', 'Create event endpoint'],
      'Sign out',
    ],
  ],
  ['support', ['Create license', 'Sign out']],
  ['viewer', ['Sign out']],
];
for (const [role, actions] of OFFERED)
  test(`the palette offers ${role} exactly the actions of the role`, async (t) => {
    const page = await openAs(t, api, role);
    await goTo(page, '/generators');
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Sign out' }).waitFor();
    const all = await dialog.getByRole('button').allInnerTexts();
    const [from, to] = [all.indexOf('Your account') + 1, all.indexOf('Sign out') + 1];
    assert.deepEqual(all.slice(from, to), actions);
  });
