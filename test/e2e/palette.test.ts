import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { goTo, loaded } from './pages.ts';

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

suite('the command palette starts actions', () => {
  const begun: Record<string, (page: Page) => Promise<unknown>> = {
    'Create license': (page) => page.getByRole('dialog', { name: 'Create license' }).waitFor(),
    'Create generator': (page) => page.getByRole('dialog', { name: 'New generator' }).waitFor(),
    'Create API key': (page) => page.getByRole('dialog', { name: 'Create API key' }).waitFor(),
    'Invite user': (page) => page.getByRole('dialog', { name: 'Invite user' }).waitFor(),
    'Publish release': async (page) => {
      await page.getByRole('dialog').getByRole('link', { name: 'Aurora Forms' }).click();
      await page.getByRole('dialog', { name: 'New release of Aurora Forms' }).waitFor();
    },
    'Import licenses from a CSV file': (page) =>
      page.getByRole('heading', { level: 1, name: 'Import' }).waitFor(),
    'Appearance: Dark': (page) => page.locator('[data-mantine-color-scheme=dark]').waitFor(),
    'Appearance: Light': (page) => page.locator('[data-mantine-color-scheme=light]').waitFor(),
    'Keyboard shortcuts': (page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor(),
    'Language: Deutsch': (page) => page.locator('html[lang=de]').waitFor(),
    'Sign out': (page) => page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor(),
  };
  for (const [entry, look] of Object.entries(begun))
    test(entry, async (t) => {
      const page = await openAs(t, api, 'owner');
      await goTo(page, '/generators');
      await choose(page, entry);
      await look(page);
      await loaded(page);
      // Back and forward do not start it again.
      assert.doesNotMatch(page.url(), /publish=|users\?create|generators\?create|api-keys\?create/);
    });

  test('Export all licenses as CSV', async (t) => {
    const page = await openAs(t, api, 'owner');
    await goTo(page, '/generators');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      choose(page, 'Export all licenses as CSV'),
    ]);
    assert.match(download.suggestedFilename(), /^licenses-.*\.csv$/);
  });
});

const OFFERED: [role: 'manager' | 'support' | 'viewer', actions: string[]][] = [
  [
    'manager',
    [
      ...['Create license', 'Export all licenses as CSV', 'Create generator', 'Publish release'],
      ...['Import licenses from a CSV file', 'Create API key', 'Sign out'],
    ],
  ],
  ['support', ['Create license', 'Sign out']],
  ['viewer', ['Sign out']],
];
for (const [role, actions] of OFFERED)
  test(`the palette offers ${role} what the role may`, async (t) => {
    const page = await openAs(t, api, role);
    await goTo(page, '/generators');
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Sign out' }).waitFor();
    const all = await dialog.getByRole('button').allInnerTexts();
    const [from, to] = [all.indexOf('Your account') + 1, all.indexOf('Sign out') + 1];
    assert.deepEqual(all.slice(from, to), actions);
  });
