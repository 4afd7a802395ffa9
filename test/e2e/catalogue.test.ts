import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessible, untilTrue } from '../support/console/console-page.ts';
import { endOf, fileOf, goTo, isFocused } from './pages.ts';

const api = await startConsole({ after });

async function pick(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('menu').waitFor({ state: 'hidden' });
}

test('a release is published with its file and offered to clients', async (t) => {
  const software = await api.software({ name: 'Sundial' });
  const license = await api.license();
  const { token } = await api.activation(license.license_key, { software: software.id });
  const page = await openAs(t, api, 'manager');
  await goTo(page, `/software/${software.id}`);
  await page.getByRole('button', { name: 'Publish release' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.getByText('Choose a file.').waitFor();
  await isFocused(dialog.locator('[tabindex="0"][aria-invalid=true]'));
  await assertAccessible(page, '[role="dialog"]');
  for (const [name, version, channel = 'Stable'] of [
    ['sundial-4.0.0-rc.1.tar.gz', '4.0.0-rc.1', 'RC'],
    ['sundial-3.4.0-beta.2.zip', '3.4.0-beta.2', 'Beta'],
    ['Sundial-3.4.0-arm64.dmg', '3.4.0'],
    ['Sundial-3.5-rc1-x86_64.deb', '3.5-rc1', 'RC'],
    ['sundial-3.5.0.alpha.1.zip', '3.5.0.alpha.1', 'Alpha'],
    ['sundial-3.5.dev3.tar.gz', '3.5.dev3'],
    ['sundial-3.5rc1-arm64.zip', '3.5rc1', 'RC'],
    ['sundial-3.4.0-php8.1.zip', '3.4.0'],
    ['php8.1-sundial-3.4.0.zip', '3.4.0'],
    ['Sundial3.4.0.zip', '3.4.0'],
    ['Sundial Setup 3.5.0 (Windows 10.0).exe', '3.5.0'],
    ['sundial-3.4.0.zip', '3.4.0'],
  ] as const) {
    const chosen = fileOf(name, 'application/zip', 'the bytes of a release');
    await dialog.locator('input[type=file]').setInputFiles(chosen);
    await dialog.getByText(name).first().waitFor();
    assert.equal(await dialog.getByLabel('Version').inputValue(), version, name);
    assert.equal(await dialog.getByRole('combobox', { name: 'Channel' }).inputValue(), channel, name);
  }
  await dialog.getByLabel('Changelog').fill('Shows the time at night, too.');
  await assertAccessible(page, '[role="dialog"]');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('row', { name: /3\.4\.0/ }).waitFor();
  const offered = await api.ok('GET', `/software/${software.id}`, { query: { activation_token: token } });
  assert.match(JSON.stringify(offered), /3\.4\.0/);

  await page.getByRole('button', { name: 'Yank 3.4.0' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('It stops at noon.');
  await assertAccessible(page, '[role="dialog"]');
  await page.getByRole('dialog').getByRole('button', { name: 'Yank release' }).click();
  await page.getByRole('row', { name: /3\.4\.0.*Yanked.*It stops at noon/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /3\.4\.0.*Published/ }).waitFor();

  // Replacing the file affects customers at once, so the console asks first.
  await pick(page, 'Actions for version 3.4.0', 'Replace file');
  const drawer = page.getByRole('dialog', { name: 'File of 3.4.0', exact: true });
  await drawer.getByRole('button', { name: 'Replace file' }).click();
  await drawer.getByText('Choose a file.').waitFor();
  await drawer
    .locator('input[type=file]')
    .setInputFiles(fileOf('sundial-mended.zip', 'application/zip', 'other bytes'));
  await assertAccessible(page, '[role="dialog"]');
  await drawer.getByRole('button', { name: 'Replace file' }).click();
  const question = page.getByRole('dialog', { name: 'Replace the file of 3.4.0?' });
  await question.waitFor();
  await assertAccessible(page, '[role="dialog"]');
  // Escape closes only the question.
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  await drawer.getByRole('button', { name: 'Replace file' }).click();
  assert.equal(await downloaded(software.id, token), 'the bytes of a release');
  await question.getByRole('button', { name: 'Replace now' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByRole('row', { name: /3\.4\.0.*sundial-mended\.zip/ }).waitFor();
  assert.equal(await downloaded(software.id, token), 'other bytes');

  await pick(page, 'Actions for version 3.4.0', 'Edit');
  const slider = page.getByRole('dialog').getByRole('slider');
  await slider.press('Home');
  await page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('row', { name: /3\.4\.0.*\b0%/ }).waitFor();
  const news = await api.ok('GET', `/software/${software.id}`, { query: { activation_token: token } });
  assert.equal(news.version, '');

  await api.release(software.id, { version: '3.3.9', status: 'draft' });
  await page.getByRole('button', { name: 'Finish the rollout of 3.4.0' }).click();
  await page.getByRole('row', { name: /3\.4\.0.*\b100%/ }).waitFor();
  const after = await api.ok('GET', `/software/${software.id}`, { query: { activation_token: token } });
  assert.equal(after.version, '3.4.0');
  await pick(page, 'Actions for version 3.3.9', 'Publish');
  await page.getByText('Published 3.3.9. 3.4.0 is higher and stays the one that is offered.').waitFor();

  // The list was loaded a moment ago, but shows the latest version of now.
  await page.getByRole('link', { name: 'All software' }).click();
  await page.getByRole('row', { name: /Sundial.*3\.4\.0/ }).waitFor();
  await page.getByRole('link', { name: 'Sundial' }).click();
  await page.getByRole('button', { name: 'Yank 3.4.0' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yank release' }).click();
  await page.getByRole('row', { name: /3\.4\.0.*Yanked/ }).waitFor();
  await page.getByRole('link', { name: 'All software' }).click();
  await page.getByRole('row', { name: /Sundial.*3\.3\.9/ }).waitFor();
});

async function downloaded(software: number, token: string): Promise<string> {
  const { download_url: url } = await api.ok('GET', `/software/${software}`, {
    query: { activation_token: token },
  });
  return (await fetch(url)).text();
}

test('Escape stops an upload, and nothing is published', async (t) => {
  const software = await api.software({ name: 'Astrarium' });
  const page = await openAs(t, api, 'manager');
  await goTo(page, `/software/${software.id}`);
  const gate = Promise.withResolvers<void>();
  await page.route(/\/releases$/, async (route) => {
    await gate.promise;
    await route.continue().catch(() => undefined);
  });
  await page.getByRole('button', { name: 'Publish release' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New release of Astrarium' });
  await dialog
    .locator('input[type=file]')
    .setInputFiles(fileOf('astrarium-1.0.zip', 'application/zip', 'the bytes'));
  const isOfUpload = (request: Request) => request.method() === 'POST' && request.url().endsWith('/releases');
  const sending = page.waitForRequest(isOfUpload);
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  const sent = await sending;
  const over = endOf(page, sent);
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await question.getByText('The upload was stopped, and nothing was saved.').waitFor();
  // The upload would finish now, while the question is open.
  gate.resolve();
  await over;
  await question.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual(await api.ok('GET', `/software/${software.id}/releases`), []);

  // The form scrolls to an error below its visible end.
  await page.unrouteAll();
  await page.route(/\/releases$/, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'Publish release' }).first().click();
  await dialog
    .locator('input[type=file]')
    .setInputFiles(fileOf('astrarium-1.0.zip', 'application/zip', 'the bytes'));
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  await untilTrue(
    page,
    `document.querySelector('[role=dialog] [role=alert]').getBoundingClientRect().bottom < innerHeight + 1`,
  );
});

test('releases are filtered by channel and paged by the server', async (t) => {
  const software = await api.software({ name: 'Gnomon' });
  for (let minor = 1; minor <= 60; minor++)
    await api.release(software.id, {
      version: `1.${minor}`,
      status: 'draft',
      channel: minor % 20 === 0 ? 'beta' : 'stable',
    });
  const page = await openAs(t, api, 'viewer');
  await goTo(page, `/software/${software.id}`);
  const first = page.getByRole('region', { name: 'Releases' }).getByRole('row').nth(1);
  await page.getByText('60 total').waitFor();
  await page.getByRole('row', { name: /^1\.60 Beta/ }).waitFor();
  assert.equal(await page.getByRole('row', { name: /^1\.10 / }).count(), 0);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('row', { name: /^1\.10 Stable/ }).waitFor();
  assert.match(await first.innerText(), /^1\.10\s/);
  // The filter covers all releases and starts at the highest.
  await page.getByText('Beta', { exact: true }).first().click();
  await page.getByText('3 total').waitFor();
  await page.getByRole('row', { name: /^1\.20 Beta/ }).waitFor();
  assert.equal(new URL(page.url()).search, '?channel=beta');
});

test('icons and banners of software are saved and sent to updaters', async (t) => {
  const page = await openAs(t, api, 'manager');
  await goTo(page, '/software');
  await page.getByRole('button', { name: 'Create software' }).first().click();
  const form = page.getByRole('dialog', { name: 'New software' });
  await form.getByLabel('Name').fill('Nocturnal');
  await form.getByRole('button', { name: 'Create software' }).click();
  // The page of the software opens without a question about unsaved changes.
  await page.getByRole('heading', { level: 1, name: 'Nocturnal' }).waitFor();
  const id = Number(page.url().split('/').at(-1));
  const edit = async () => {
    await pick(page, 'Actions for Nocturnal', 'Edit');
    return page.getByRole('dialog');
  };
  const dialog = await edit();
  await dialog.getByText('programs that send the old slug can no longer activate').waitFor();
  const add = dialog.getByRole('button', { name: 'Add to Icons' });
  await add.click();
  await dialog.getByLabel('Icons 1: URL').fill('https://example.com/icon.png');
  await add.click();
  await dialog.getByLabel('Icons 2: name').fill('1x');
  await dialog.getByLabel('Icons 2: URL').fill('no address');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.getByText('Two entries have the same name.').waitFor();
  await dialog.getByLabel('Icons 2: name').fill('svg');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.getByText(/must be at most 16 http or https addresses/).waitFor();
  await assertAccessible(page, '[role="dialog"]');
  await dialog.getByLabel('Icons 2: URL').fill('https://example.com/icon.svg');
  await dialog.getByRole('button', { name: 'Add to Banners' }).click();
  await dialog.getByLabel('Banners 1: URL').fill('https://example.com/low.png');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const sent = async () => {
    const { details } = await api.ok('GET', `/software/${id}`);
    return [details.icons, details.banners];
  };
  const icons = { '1x': 'https://example.com/icon.png', svg: 'https://example.com/icon.svg' };
  assert.deepEqual(await sent(), [icons, { low: 'https://example.com/low.png' }]);

  const again = await edit();
  await again.getByRole('button', { name: 'Remove Banners 1' }).click();
  await again.getByRole('button', { name: 'Remove Icons 1' }).click();
  await again.getByRole('button', { name: 'Save changes' }).click();
  await again.waitFor({ state: 'hidden' });
  assert.deepEqual(await sent(), [{ svg: 'https://example.com/icon.svg' }, undefined]);
});
