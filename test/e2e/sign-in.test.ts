import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Dialog, Page } from 'playwright-core';
import { SYSTEM } from '../../src/domain/actor.ts';
import { openContext, openPage } from '../support/console/browser.ts';
import { buildConsole, startConsole } from '../support/console/console-browser.ts';
import {
  assertAccessible,
  assertFocusVisible,
  assertNoSidewaysScroll,
} from '../support/console/console-page.ts';
import { quickHash } from '../support/console/passwords.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newKey, newName } from '../support/http/api.ts';
import { startProcess } from '../support/process.ts';
import { goTo, isFocused, loaded } from './pages.ts';

const PASSWORD = 'correct horse battery';
const api = await startConsole({ after });
const passwordHash = await quickHash(PASSWORD);

/** Creates a user who can sign in with the password. */
async function newUser(): Promise<{ email: string; name: string }> {
  const name = newName();
  const email = `${name.toLowerCase()}@example.test`;
  const made = await api.service.execute('create-user', { name, email, role: 'owner', passwordHash }, SYSTEM);
  assert.ok(made.ok);
  return { email, name };
}

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
}
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true });
const isOn = (page: Page, heading: string) =>
  page.getByRole('heading', { level: 1, name: heading }).waitFor();

test('the setup link of the first start creates the owner and works once', async (t) => {
  buildConsole();
  const dataDir = temporaryFolder();
  const service = await startProcess(t, dataDir);
  const link = /(http:\/\/\S+\/console\/setup#\S+)/.exec(service.output())?.[1];
  assert.ok(link, service.output());
  const page = await (await openContext(t, new URL(link).origin)).newPage();
  await page.goto(new URL('.', link).href);
  await page.getByText('This server has no owner yet.').waitFor();
  // Only the fragment changes, so the browser does not reload the page.
  await page.goto(link);
  await page.getByLabel('Your name').waitFor();
  await isOn(page, 'Set up Latchkey');
  assert.ok(!page.url().includes('#'), 'the address still contains the secret');
  await assertAccessible(page);
  await page.getByLabel('Your name').fill('Mira Lindqvist');
  await fillIn(page, 'mira@example.test', 'short');
  await page.getByRole('button', { name: 'Set up and sign in' }).click();
  await page.getByText('Use 12 to 256 characters').waitFor();
  // The link survives a reload without being in the address.
  await page.reload();
  await page.getByLabel('Your name').fill('Mira Lindqvist');
  assert.ok(!page.url().includes('#'), 'the address contains the secret again');
  await fillIn(page, 'mira@example.test', PASSWORD);
  await page.getByRole('button', { name: 'Set up and sign in' }).click();
  await isOn(page, 'Dashboard');

  await page.getByRole('button', { name: 'Account and preferences' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await isOn(page, 'Sign in');
  // Load the link as in another tab.
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('This link is invalid or has expired').waitFor();
});

test('a user signs in, arrives at the linked page, and signs out', async (t) => {
  const { email, name } = await newUser();
  const page = await openPage(t, api.origin);
  await page.goto('/console/generators');
  await isOn(page, 'Sign in');
  await fillIn(page, email, PASSWORD);
  await signInButton(page).click();
  await isOn(page, 'Generators');
  const [cookie] = await page.context().cookies(`${api.origin}/console/`);
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
  await page.getByRole('button', { name: 'Account and preferences' }).click();
  await page.getByText(name).waitFor();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await isOn(page, 'Sign in');
  await page.goto('/console/generators');
  await isOn(page, 'Sign in');
});

test("missing sign-in fields show errors in the page's language", async (t) => {
  const page = await (await openContext(t, api.origin, { locale: 'de-DE' })).newPage();
  await page.goto('/console/');
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.getByText('Geben Sie Ihre E-Mail-Adresse ein.').waitFor();
  await page.getByText('Geben Sie Ihr Passwort ein.').waitFor();
  await page.getByLabel('E-Mail-Adresse').and(page.locator(':focus')).waitFor();
  await assertAccessible(page);
});

test('signing out ends the session in all windows of the browser', async (t) => {
  const { email } = await newUser();
  const context = await openContext(t, api.origin);
  const [page, other] = [await context.newPage(), await context.newPage()];
  await page.goto('/console/licenses');
  await fillIn(page, email, PASSWORD);
  await signInButton(page).click();
  await isOn(page, 'Licenses');
  await other.goto('/console/generators');
  await isOn(other, 'Generators');
  await page.getByRole('button', { name: 'Account and preferences' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await isOn(other, 'Sign in');
});

test('the list of licenses asks to sign in, whichever of its requests is refused first', async (t) => {
  const page = await openPage(t, api.origin);
  await page.route('**/console/api/products*', async (route) => {
    await setTimeout(500);
    await route.continue();
  });
  const last = page.waitForResponse('**/console/api/products*');
  await page.goto('/console/licenses');
  await isOn(page, 'Sign in');
  await last;
});

test('Enter sends the sign-in form at once, also when the clock moves while the form is rendered', async (t) => {
  const { email } = await newUser();
  const page = await (await openContext(t, api.origin)).newPage();
  await page.addInitScript('let now = Date.now(); Date.now = () => ++now;');
  await page.goto('/console/software');
  await fillIn(page, email, PASSWORD);
  assert.ok(await signInButton(page).isEnabled());
  await page.keyboard.press('Enter');
  await isOn(page, 'Software');
});

test('a wrong password and an unknown address get the same error', async (t) => {
  const { email } = await newUser();
  const page = await openPage(t, api.origin);
  await page.goto('/console/');
  const refused = async (address: string) => {
    await fillIn(page, address, 'not the password');
    await signInButton(page).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(String(await alert.textContent()), /Wrong email address or password\./);
  };
  await refused(email);
  await assertAccessible(page);
  await page.reload();
  await refused('nobody@example.test');
});

test('a user whose session ended elsewhere signs in again on the same page', async (t) => {
  const { email } = await newUser();
  const page = await openPage(t, api.origin);
  await goTo(page, '/software');
  await fillIn(page, email, PASSWORD);
  await signInButton(page).click();
  await isOn(page, 'Software');
  // Without this wait, a pending request of the page may be the refused one.
  await loaded(page);
  await page.context().clearCookies();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Generators' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await assertAccessible(page, '[role="dialog"]');
  assert.equal(await dialog.getByLabel('Email address').inputValue(), email);
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await isOn(page, 'Generators');
  await page.getByRole('row').nth(1).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.context().clearCookies();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Software' }).click();
  await dialog.getByRole('button', { name: 'Go to the sign-in page' }).click();
  await isOn(page, 'Sign in');
  await fillIn(page, email, PASSWORD);
  await signInButton(page).click();
  await isOn(page, 'Software');
});

test('a form keeps its input across a new sign-in, unless another user signs in', async (t) => {
  const [mine, other] = [await newUser(), await newUser()];
  const page = await openPage(t, api.origin);
  await page.goto('/console/licenses?create=yes');
  await fillIn(page, mine.email, PASSWORD);
  await signInButton(page).click();
  const form = page.getByRole('dialog', { name: 'Create license' });
  const key = newKey();
  await form.getByText('Enter a key').click();
  await form.getByLabel('License key').fill(key);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  const end = async () => {
    await page.context().clearCookies();
    await form.getByRole('button', { name: 'Create license' }).click();
    await dialog.waitFor();
  };
  const signInAs = async (email: string) => {
    await dialog.getByLabel('Email address').fill(email);
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
  };
  await end();
  await page.keyboard.press('Escape');
  await signInAs(mine.email);
  assert.equal(await form.getByLabel('License key').inputValue(), key);
  await end();
  // The form cannot prevent the reload: the page shows the data of the first user.
  const decline = (question: Dialog) => void question.dismiss();
  page.on('dialog', decline);
  await Promise.all([page.waitForEvent('load'), signInAs(other.email)]);
  page.off('dialog', decline);
  await form.getByText('Enter a key').click();
  assert.equal(await form.getByLabel('License key').inputValue(), '');

  await form.getByLabel('License key').fill(key);
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await question.waitFor();
  await assertAccessible(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  assert.equal(await form.getByLabel('License key').inputValue(), key);
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).click();
  await form.waitFor({ state: 'hidden' });
});

test('the keyboard alone signs in, navigates and creates a license', async (t) => {
  const { email } = await newUser();
  const page = await openPage(t, api.origin);
  await page.goto('/console/');
  await isOn(page, 'Sign in');
  const press = (key: string) => page.keyboard.press(key);
  /** Presses Tab until a control has the focus. */
  async function tabTo(name: string): Promise<void> {
    for (let tries = 0; tries < 60; tries++) {
      const focused = await page.evaluate(`(() => {
        const element = document.activeElement;
        const label = element.labels?.[0]?.textContent ?? '';
        return element.getAttribute('aria-label') ?? (label || element.textContent);
      })()`);
      // Labels of required fields end with a star.
      if (String(focused).replace(/[*\s]+$/, '') === name) return assertFocusVisible(page);
      await press('Tab');
    }
    throw new Error(`Tab never reaches ${name}`);
  }
  await tabTo('Email address');
  await page.keyboard.type(email);
  await tabTo('Password');
  await page.keyboard.type(PASSWORD);
  await press('Enter');
  await isOn(page, 'Dashboard');

  await press('Control+k');
  await isFocused(page.getByRole('textbox', { name: /Go to|Search|page/i }));
  await page.keyboard.type('settings');
  await press('Enter');
  await isOn(page, 'Settings');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  // Both at once: the second key counts only shortly after the first.
  await Promise.all([press('g'), press('l')]);
  await isOn(page, 'Licenses');
  await page.getByRole('searchbox').waitFor();
  await press('/');
  await page.keyboard.type('nobody has this');
  await page.getByText('No licenses match').waitFor();
  await tabTo('Create license');
  await press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const key = `KEYBOARD-${newName()}`;
  await tabTo('Generate one key');
  await press('ArrowRight');
  await tabTo('License key');
  await page.keyboard.type(key);
  await press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal((await api.ok('GET', `/licenses/${key}`)).license_key, key);
});

test('the sign-in page fits a phone', async (t) => {
  const page = await (await openContext(t, api.origin, { viewport: { width: 360, height: 740 } })).newPage();
  await page.goto('/console/');
  await isOn(page, 'Sign in');
  await assertNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Can’t sign in?' }).click();
  await page.getByText('latchkey user reset EMAIL').waitFor();
  await assertAccessible(page);
  await assertNoSidewaysScroll(page);
});
