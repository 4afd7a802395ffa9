import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newKey } from '../support/api.ts';
import { openAs, startConsole } from '../support/console-browser.ts';
import { assertAccessible } from '../support/console-page.ts';
import { goTo } from './pages.ts';

const api = await startConsole({ after });
const fileOf = (name: string, mimeType: string, text: string) => ({
  name,
  mimeType,
  buffer: Buffer.from(text),
});

test('a release is published with its file, and offered', async (t) => {
  const software = await api.software({ name: 'Sundial' });
  const license = await api.license();
  const { token } = await api.activation(license.license_key, { software: software.id });
  const page = await openAs(t, api, 'manager');
  await goTo(page, `/software/${software.id}`);
  await page.getByRole('button', { name: 'Publish release' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.getByText('Choose the file.').waitFor();
  await dialog
    .locator('input[type=file]')
    .setInputFiles(fileOf('sundial-3.4.0.zip', 'application/zip', 'the bytes of a release'));
  assert.equal(await dialog.getByLabel('Version').inputValue(), '3.4.0');
  await dialog.getByLabel('Changelog').fill('Shows the time at night, too.');
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('row', { name: /3\.4\.0/ }).waitFor();
  const offered = await api.ok('GET', `/software/${software.id}`, { query: { activation_token: token } });
  assert.match(JSON.stringify(offered), /3\.4\.0/);

  await page.getByRole('button', { name: 'More for version 3.4.0' }).click();
  await page.getByRole('menuitem', { name: 'Yank' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yank release' }).click();
  await page.getByRole('row', { name: /3\.4\.0.*Yanked/ }).waitFor();
});

test('an import tells what is wrong before it writes, and imports the good lines', async (t) => {
  const page = await openAs(t, api, 'manager');
  const [taken] = api.samples.keys;
  const [one, other] = [newKey(), newKey()];
  const lines = [
    'Serial;Order;State',
    `${one};501;active`,
    `${taken};502;active`,
    `${other};none;active`,
    ';503;sold',
  ];
  await goTo(page, '/import');
  await page
    .locator('input[type=file]')
    .setInputFiles(fileOf('old-shop.csv', 'text/csv', `${lines.join('\n')}\n`));
  const choose = (column: string, label: string) =>
    page.getByRole('combobox', { name: `What “${column}” is` }).selectOption({ label });
  await choose('Serial', 'License key');
  await choose('Order', 'Order');
  await choose('State', 'Status');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('Nothing has been written yet.').waitFor();
  await page.getByText('3 of 4 lines cannot be imported').waitFor();
  await assertAccessible(page);
  assert.equal((await api.call('GET', `/licenses/${one}`)).status, 404);
  await page.getByRole('switch', { name: /Import the one good line/ }).check();
  await page.getByRole('button', { name: 'Import one license' }).click();
  await page.getByText('One license was imported').first().waitFor();
  assert.equal((await api.ok('GET', `/licenses/${one}`)).order_id, 501);
  assert.equal((await api.call('GET', `/licenses/${other}`)).status, 404);
});
