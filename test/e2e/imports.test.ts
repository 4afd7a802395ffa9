import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { textOf } from '../support/console/browser.ts';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessible } from '../support/console/console-page.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newKey } from '../support/http/api.ts';
import { fileOf, goTo } from './pages.ts';

const api = await startConsole({ after });

test('an import shows errors before it saves, and imports the valid lines', async (t) => {
  const page = await openAs(t, api, 'manager');
  const [taken] = api.samples.keys;
  const [one, other] = [newKey(), newKey()];
  const lines = [
    '"Serial";Order;State;seat_ttl;Features;Good till;Shelf;Customer email',
    `${one};501;active;600;pro, team;2031-05-10;3;ada@example.com`,
    `${taken};502;active;;;;;`,
    `${other};none;active;;;;;`,
    ';503;sold;;;;;',
  ];
  await goTo(page, '/import');
  await page
    .locator('input[type=file]')
    .setInputFiles(fileOf('old-shop.csv', 'text/csv', `${lines.join('\n')}\n`));
  const choose = (column: string, label: string) =>
    page.getByRole('combobox', { name: `License field for “${column}”` }).selectOption({ label });
  // The choice of a delimiter that does not fit the file changes nothing.
  await page.getByRole('combobox', { name: 'Delimiter' }).click();
  await page.getByRole('option', { name: 'Comma' }).click();
  await page.getByText(/has text after a closing quote/).waitFor();
  await choose('Serial', 'License key');
  await choose('Order', 'Order');
  await choose('State', 'Status');
  const seatTtl = page.getByRole('combobox', { name: 'License field for “seat_ttl”' });
  assert.equal(await seatTtl.inputValue(), 'seat_ttl', 'the console must map a column like the server');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Check file' }).click();
  await page.getByText('Nothing has been imported yet.').waitFor();
  await page.getByText('3 of 4 lines cannot be imported').waitFor();
  await page.getByRole('row', { name: '3 Serial: This key already exists.' }).waitFor();
  await page.getByRole('row', { name: /^4 Order: This must be an integer from 0/ }).waitFor();
  // The preview shows the mapped columns.
  await page
    .getByRole('row', { name: new RegExp(`^2 ${one} .* 501 ada@example.com pro, team 600$`) })
    .waitFor();
  await assertAccessible(page);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the rejected lines' }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), 'old-shop-rejected.csv');
  const rejected = await textOf(saved);
  assert.equal((await api.call('GET', `/licenses/${one}`)).status, 404);
  await page.getByRole('switch', { name: /Import the one valid line/ }).check();
  // Without "Good till" the license would never expire, so the user must confirm the columns left out.
  await page.getByText('2 columns of the file will not be imported').waitFor();
  await page.getByText('Good till, Shelf').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Import one license' }).isDisabled(), true);
  await page.getByRole('checkbox', { name: 'Import without these columns' }).check();
  await page.getByRole('button', { name: 'Import one license' }).click();
  await page.getByRole('alert').getByText('One license was imported').waitFor();
  const imported = await api.ok('GET', `/licenses/${one}`);
  assert.deepEqual([imported.order_id, imported.seat_ttl], [501, 600]);
  assert.deepEqual(imported.entitlements, ['pro', 'team']);
  assert.equal((await api.call('GET', `/licenses/${other}`)).status, 404);

  // The downloaded rejected lines can be corrected and imported.
  await page.getByRole('button', { name: 'Import another file' }).click();
  const corrected = rejected
    .replace('"none"', '"504"')
    .split('\r\n')
    .filter((_, i) => i === 0 || i === 2);
  await page
    .locator('input[type=file]')
    .setInputFiles(fileOf('again.csv', 'text/csv', corrected.join('\r\n')));
  await choose('Serial', 'License key');
  assert.equal(
    await page.getByRole('combobox', { name: 'License field for “Rejected because”' }).inputValue(),
    '',
  );
  await choose('Good till', 'Expires at');
  await page.getByRole('button', { name: 'Check file' }).click();
  await page.getByRole('checkbox', { name: 'Import without this column' }).check();
  await page.getByRole('button', { name: 'Import one license' }).click();
  await page.getByRole('alert').getByText('One license was imported').waitFor();
  assert.equal((await api.ok('GET', `/licenses/${other}`)).order_id, 504);
});

test('an import remembers the column mapping', async (t) => {
  const page = await openAs(t, api, 'manager');
  const choose = async () => {
    await goTo(page, '/import');
    await page
      .locator('input[type=file]')
      .setInputFiles(fileOf('shop.csv', 'text/csv', `Kennung,Kunde\n${newKey()},7\n`));
    return page.getByRole('combobox', { name: 'License field for “Kennung”' });
  };
  const column = await choose();
  assert.equal(await column.inputValue(), '');
  await column.selectOption({ label: 'License key' });
  await page.getByRole('button', { name: 'Check file' }).click();
  await page.getByText('Nothing has been imported yet.').waitFor();
  assert.equal(await (await choose()).inputValue(), 'license_key');
});

test('a file that is not UTF-8 is refused before its columns are mapped', async (t) => {
  const page = await openAs(t, api, 'manager');
  await goTo(page, '/import');
  // The default of Excel in many countries.
  const buffer = Buffer.from('Lizenzschlüssel;Gültig bis\r\nA-1;2031-12-31\r\n', 'latin1');
  await page.locator('input[type=file]').setInputFiles({ name: 'shop.csv', mimeType: 'text/csv', buffer });
  await page.getByText('The file is not UTF-8 text. Save it as “CSV UTF-8”.').waitFor();
  assert.equal(await page.getByRole('combobox', { name: /^License field for/ }).count(), 0);
});

test('leaving an import with a file asks first', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, '/import');
  const path = join(temporaryFolder(), 'keys.csv');
  await writeFile(path, 'license_key\nNOT-IMPORTED\n');
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByLabel('License field for “license_key”').waitFor();
  // The browser refuses to read a file that has changed since it was chosen.
  await utimes(path, 1, 1);
  await page.getByRole('button', { name: 'Check file' }).click();
  await page.getByText('The file was changed or removed after you chose it.').waitFor();
  await page.getByRole('link', { name: 'Generators' }).click();
  const question = page.getByRole('dialog', { name: 'Leave the import?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  assert.match(page.url(), /import/);
  await page.getByRole('link', { name: 'Generators' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Generators' }).waitFor();
});
