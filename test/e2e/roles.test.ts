import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SYSTEM } from '../../src/domain/actor.ts';
import { openContext } from '../support/console/browser.ts';
import { signedIn } from '../support/console/console.ts';
import { bearSession, openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessible } from '../support/console/console-page.ts';
import { quickHash } from '../support/console/passwords.ts';
import { newName } from '../support/http/api.ts';
import { until } from '../support/until.ts';
import { follow, goTo, loaded, PAGES, turnTo, withFewRows } from './pages.ts';

const PASSWORD = 'correct horse battery';
const api = await startConsole({ after });

test('support sees masked keys, and revealing one is recorded', async (t) => {
  const { license_key: key, id } = await api.license();
  const page = await openAs(t, api, 'support');
  const bodies: string[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('/console/api/licenses')) return;
    const body = await response.text().catch(() => null);
    if (body !== null) bodies.push(body);
  });
  await goTo(page, '/licenses');
  await page.locator(`tr[data-to="/licenses/${id}"]`).getByRole('link').click();
  const show = page.getByRole('button', { name: 'Show full key' });
  await show.waitFor();
  // The test receives response bodies later than the page does.
  await until(() => bodies.length >= 2);
  assert.ok(
    bodies.every((body) => !body.includes(key)),
    'a response contains the key',
  );
  await page
    .getByText(`…${key.slice(-4)}`)
    .first()
    .waitFor();
  await show.click();
  await page.getByText(key).first().waitFor();

  const owner = await openAs(t, api, 'owner');
  await goTo(owner, `/audit?subject=license:${id}`);
  await owner.getByRole('row', { name: /License key revealed/ }).waitFor();
  // Owners and managers see no notes about missing rights.
  await turnTo(owner, '/software');
  assert.equal(await owner.getByText('Owners and managers').count(), 0);
});

/** Creates a user of the role support who can sign in with the password. */
async function newSupporter(): Promise<{ email: string }> {
  const name = newName();
  const email = `${name.toLowerCase()}@example.test`;
  const passwordHash = await quickHash(PASSWORD);
  const made = await api.service.execute(
    'create-user',
    { name, email, role: 'support', passwordHash },
    SYSTEM,
  );
  assert.ok(made.ok);
  return { email };
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
}

test('a window shows the next user nothing of the previous one', async (t) => {
  const { email } = await newSupporter();
  const { license_key: key } = await api.license();
  const page = await openAs(t, api, 'owner', {});
  const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
  const isOn = (name: string, where = page) => where.getByRole('heading', { level: 1, name }).waitFor();
  await goTo(page, '/licenses');
  await page.getByText(key).waitFor();
  await page.context().clearCookies();
  await link('Generators').click();
  await page.getByRole('button', { name: 'Go to the sign-in page' }).click();
  await isOn('Sign in');
  await signIn(page, email);
  await isOn('Generators');
  const gate = Promise.withResolvers<void>();
  await page.route('**/console/api/licenses?*', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await link('Licenses').click();
  await isOn('Licenses');
  assert.equal(await page.getByText(key).count(), 0);
  gate.resolve();
  await page.getByText(`…${key.slice(-4)}`).waitFor();

  // Signing out everywhere leaves nothing either, in any window.
  const other = await page.context().newPage();
  await goTo(other, '/generators');
  await turnTo(page, '/account');
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await isOn('Sign in');
  await isOn('Sign in', other);
  await page.goBack();
  await page.waitForURL(/sign-in\?from=/);
  await isOn('Sign in');
});

test('a new sign-in in one window is one for all, and a late refusal does not end it', async (t) => {
  const [{ email }, another] = [await newSupporter(), await newSupporter()];
  const { id } = await api.license({ status: 'active' });
  const context = await openContext(t, api.origin);
  const [page, other] = [await context.newPage(), await context.newPage()];
  const ended = (where: Page) => where.getByRole('dialog', { name: 'Your session has ended' });
  const setTo = async (status: string) => {
    await other.getByRole('button', { name: 'Status', exact: true }).click();
    await other.getByRole('menuitem', { name: status }).click();
  };
  const end = async (path: string) => {
    await context.clearCookies();
    await setTo('Sold');
    await ended(other).waitFor();
    await follow(page, path);
    await ended(page).waitFor();
  };
  await page.goto('/console/generators');
  await signIn(page, email);
  await page.getByRole('heading', { level: 1, name: 'Generators' }).waitFor();
  await goTo(other, `/licenses/${id}`);
  await end('/software');
  await signIn(page, email);
  await ended(page).waitFor({ state: 'hidden' });
  await ended(other).waitFor({ state: 'hidden' });
  await setTo('Disabled');
  await other.getByText('Status is now “Disabled”.').waitFor();

  // The refusal of a request that was sent before the new sign-in.
  const late = {
    status: 401,
    json: { code: 'unauthorized', data: { reason: { code: 'sign_in_needed', args: {} } } },
  };
  await other.route('**/licenses/bulk', (route) => route.fulfill(late), { times: 1 });
  await setTo('Sold');
  // With a title, because it has no request ID, unlike the toast of the first refusal, which may still be shown.
  await other
    .getByRole('alert')
    .filter({ hasText: 'Something went wrong' })
    .getByText('Your session had ended, so nothing was changed. Try again.')
    .waitFor();
  await loaded(other);
  assert.equal(await ended(other).count(), 0);

  await end('/activations');
  const reloaded = Promise.all([page.waitForEvent('load'), other.waitForEvent('load')]);
  await signIn(page, another.email);
  await reloaded;
  await loaded(other);

  // The session may also change without a sign-in in these windows.
  const { token } = await signedIn(api, 'support');
  await bearSession(context, token);
  const again = other.waitForEvent('load');
  await setTo('Sold');
  await again;
});

test('support is offered only allowed actions, and other requests are refused', async (t) => {
  const page = await openAs(t, api, 'support');
  await goTo(page, '/licenses');
  const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
  assert.deepEqual(links, [
    'Dashboard',
    'Licenses',
    'Activations',
    'Offline activation',
    'Generators',
    'Software',
  ]);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Set status' }).waitFor();
  for (const name of ['Delete', 'Export', 'Export as CSV'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  const { token } = (await page.evaluate(
    `fetch('/console/api/session').then((answer) => answer.json()).then(({ csrf_token: token }) => ({ token }))`,
  )) as { token: string };
  const { id } = await api.license();
  for (const [method, path] of [
    ['DELETE', `/licenses/${id}`],
    ['GET', '/api-keys'],
    ['GET', '/audit'],
    ['GET', '/users'],
    ['GET', '/licenses/export'],
  ]) {
    const status = await page.evaluate(
      `fetch('/console/api${path}', { method: '${method}', headers: { 'x-csrf-token': '${token}' } })
        .then(({ status }) => status)`,
    );
    assert.equal(status, 403, `${method} ${path}`);
  }
});

/** The pages that a role may not open. */
const CLOSED = {
  support: ['/import', '/api-keys', '/events', '/audit', '/settings', '/users'],
  viewer: ['/offline', '/import', '/api-keys', '/events', '/audit', '/settings', '/users'],
};

for (const role of ['support', 'viewer'] as const)
  test(`no page requests data that ${role} may not have, and each page names the roles for missing actions`, async (t) => {
    const page = await openAs(t, api, role);
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${page.url()}: ${response.status()} ${response.url()}`);
    });
    const { id } = await api.license();
    const [softwareId] = api.samples.softwareIds;
    const notes: Record<string, RegExp> = {
      '/generators': /Only owners and managers can create generators/i,
      '/software': /Only owners and managers can create software/i,
      [`/software/${softwareId}`]: /Only owners and managers can create software/i,
      '/licenses': /Only the last characters of keys are shown/i,
      [`/licenses/${id}`]: /Only the last characters of keys are shown/i,
      '/activations': /owners and managers can delete/i,
    };
    const headings = new Map(PAGES.map(({ path, heading }) => [path, heading]));
    for (const path of new Set([...headings.keys(), ...Object.keys(notes)])) {
      await turnTo(page, withFewRows(path));
      const heading = headings.get(path);
      if (heading) assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), heading);
      // The page shows an explanation, not a blank or broken page.
      const explanation = page.getByText('You do not have access to this page');
      assert.equal(await explanation.count(), CLOSED[role].includes(path) ? 1 : 0, path);
      const note = notes[path];
      if (note) await page.getByText(note).waitFor();
      // The column would be empty.
      if (path.startsWith('/software') || path === '/generators')
        assert.equal(await page.getByRole('columnheader', { name: 'Actions' }).count(), 0);
      if (path === '/activations' || path === '/users') await assertAccessible(page);
    }
    assert.deepEqual(refused, []);
  });
