import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessible } from '../support/console/console-page.ts';
import { newName } from '../support/http/api.ts';
import { follow, goTo, loaded, NO_LICENSES } from './pages.ts';

const api = await startConsole({ after });
const PART = /\/assets\/UsersPage-.*\.js$/;

test('a page that fails to load keeps the console open and can be retried', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, NO_LICENSES);
  await page.evaluate('window.isSame = true');
  let isAway = true;
  await page.route(/\/console\//, (route) =>
    // Like a refused connection, but without a browser log entry.
    isAway ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  );
  await page.getByRole('link', { name: 'Users' }).click();
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await assertAccessible(page);
  assert.equal(await page.getByRole('navigation').isVisible(), true);
  await retry.click();
  await page.getByText('Could not reach the server.').first().waitFor();
  assert.equal(await page.evaluate('window.isSame'), true);
  isAway = false;
  // The page retries by itself.
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
});

test('a dialog that fails to load says so, and opens when the server is back', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, NO_LICENSES);
  let isAway = true;
  await page.route(/\/console\//, (route) =>
    isAway ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  );
  const create = page.getByRole('button', { name: 'Create license' });
  await create.click();
  await page.getByRole('alert').getByText('Could not reach the server.').waitFor();
  await page.waitForURL(`**${NO_LICENSES}`);
  await page.keyboard.press('Control+k');
  await page.getByText('Could not reach the server.').nth(1).waitFor();
  await assertAccessible(page);
  isAway = false;
  await create.click();
  await page.getByRole('dialog', { name: 'Create license' }).waitFor();
});

test('a list that failed to load is loaded when the server is back', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, NO_LICENSES);
  // The browser would log a refused connection as an error.
  await page.evaluate(`
    window.isAway = true;
    const own = window.fetch;
    window.fetch = (...sent) => window.isAway ? Promise.reject(new TypeError('Failed to fetch')) : own(...sent);`);
  await page.getByRole('link', { name: 'Generators' }).click();
  await page.getByText('Could not reach the server.').waitFor();
  await page.evaluate('window.isAway = false');
  await page.getByRole('row').nth(1).waitFor();
});

test('without any network, the console of a server on the same machine works', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, NO_LICENSES);
  await page.evaluate('window.dispatchEvent(new Event("offline"))');
  await page.getByRole('link', { name: 'Generators' }).click();
  await page.getByRole('row').nth(1).waitFor();
});

test('a page says that it waits for a slow server, and opens when the server answers', async (t) => {
  const page = await openAs(t, api, 'owner');
  const gate = Promise.withResolvers<void>();
  await page.route('**/console/api/session', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto('/console/generators');
  const waiting = page.getByRole('status').filter({ hasText: 'Waiting for the server.' });
  await waiting.waitFor();
  await page.getByRole('img', { name: 'Latchkey' }).waitFor();
  await assertAccessible(page);
  gate.resolve();
  await page.getByRole('heading', { level: 1, name: 'Generators' }).waitFor();
  await waiting.waitFor({ state: 'hidden' });
});

test('a missing chunk after an upgrade reloads the window once', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, NO_LICENSES);
  let pages = 0;
  let isOld = true;
  page.on('request', (request) => {
    if (request.resourceType() === 'document') pages++;
  });
  await page.route(PART, (route) =>
    isOld || pages === 0 ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  );
  const reloaded = page.waitForEvent('load');
  await page.getByRole('link', { name: 'Users' }).click();
  await reloaded;
  assert.match(page.url(), /\/users$/);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  assert.equal(pages, 1);
  isOld = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
});

test('a license that is deleted late leaves the user on the page that they have gone to', async (t) => {
  const page = await openAs(t, api, 'manager');
  const { id } = await api.license();
  await goTo(page, `/licenses/${id}`);
  const gate = Promise.withResolvers<void>();
  await page.route('**/licenses/bulk/delete', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete license' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete license' }).click();
  await follow(page, '/generators');
  gate.resolve();
  await page.getByText('License deleted.').waitFor();
  await loaded(page);
  assert.equal(new URL(page.url()).pathname, '/console/generators');
});

test('a double click acts once, and an action repeated after a lost answer takes effect once', async (t) => {
  const page = await openAs(t, api, 'owner');
  const { id, license_key: key } = await api.license({ expires_at: '2999-01-01 00:00:00' });
  const label = newName();
  await api.activation(key, { label });
  const ends = async () => (await api.ok('GET', `/licenses/${key}`)).expires_at;
  const extend = async () => {
    await page.getByRole('button', { name: 'Extend', exact: true }).click();
    return page.getByRole('menuitem', { name: '365 days' });
  };
  await goTo(page, `/licenses/${id}`);
  // Hold the answer to the first click until after the second one.
  let goOn = () => {};
  const asked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let requests = 0;
  await page.route('**/activations/*/deactivate', async (route) => {
    requests++;
    await asked;
    await route.continue();
  });
  const button = page.getByRole('button', { name: `Deactivate: ${label}` });
  await button.dblclick();
  await button.and(page.locator(':disabled')).waitFor();
  goOn();
  await page.getByRole('button', { name: `Reactivate: ${label}` }).waitFor();
  assert.equal(requests, 1);
  assert.equal(await page.getByRole('alert').filter({ hasText: 'already deactivated' }).count(), 0);

  await (await extend()).dblclick();
  const extended = page.getByRole('alert').filter({ hasText: '1 license extended.' });
  await extended.getByRole('button', { name: 'Close' }).click();
  await extended.waitFor({ state: 'hidden' });
  await page.getByText('1 Jan 3000').first().waitFor();
  assert.equal(await ends(), '3000-01-01 00:00:00');

  await page.route(
    '**/licenses/bulk',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await (await extend()).click();
  const fault = page.getByRole('alert').filter({ hasText: 'Could not reach the server' });
  await fault.getByRole('button', { name: 'Close' }).click();
  await (await extend()).click();
  await extended.waitFor();
  assert.equal(await ends(), '3001-01-01 00:00:00');
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('Undone', { exact: true }).waitFor();
  assert.equal(await ends(), '3000-01-01 00:00:00');
});

test('a page of a proxy instead of the generated keys is an error, and ends the work', async (t) => {
  const page = await openAs(t, api, 'owner');
  const { name } = await api.generator();
  await goTo(page, '/generators');
  await page
    .getByRole('button', { name: `Generate keys with ${name}` })
    .first()
    .click();
  await page.route('**/generate', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>\n<p>Sign in</p>\n' }),
  );
  const dialog = page.getByRole('dialog', { name: `Generate keys with ${name}` });
  await dialog.getByRole('button', { name: 'Generate licenses' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
});

test('a status that could not be saved is not shown', async (t) => {
  const page = await openAs(t, api, 'owner');
  const { id } = await api.license({ status: 'active' });
  await goTo(page, `/licenses/${id}`);
  const shown = (status: string) =>
    page.getByRole('main').getByText(status, { exact: true }).first().waitFor();
  await shown('Active');
  const gate = Promise.withResolvers<void>();
  await page.route('**/console/api/**', async (route) => {
    await gate.promise;
    await route.abort();
  });
  await page.getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Disabled' }).click();
  await shown('Disabled');
  gate.resolve();
  await page.getByRole('alert').getByText('Could not reach the server').waitFor();
  await shown('Active');
});
