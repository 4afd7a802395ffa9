import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toDatetime } from '../../src/domain/datetime.ts';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { untilTrue } from '../support/console/console-page.ts';
import { runSql } from '../support/engine.ts';
import { goTo, loaded } from './pages.ts';

const api = await startConsole({ after });
const PRODUCT = 7_003;

test('the dashboard counts recent activity, extends an expiring license, and filters by product', async (t) => {
  const { id: older } = await api.license({ product_id: PRODUCT });
  const created = toDatetime(Date.now() - 40 * 86_400_000);
  await runSql(api.dataDir, `update licenses set created_at = '${created}' where id = ${older}`);
  const page = await openAs(t, api, 'manager');
  await goTo(page, '/');
  const main = page.getByRole('main');
  const number = async (label: string): Promise<number> => {
    const text = await main.innerText();
    return Number(new RegExp(`^${label}\\n([\\d,]+)$`, 'm').exec(text)?.[1]?.replaceAll(',', ''));
  };
  const before = [await number('Licenses'), await number('New licenses'), await number('Activations')];
  assert.deepEqual(before.map(Number.isInteger), [true, true, true], String(before));
  const license = await api.license({ valid_for: 1, product_id: PRODUCT });
  await api.activation(license.license_key);
  await api.service.usage.flush();
  await page.reload();
  await loaded(page);
  const counted = [await number('Licenses'), await number('New licenses'), await number('Activations')];
  assert.deepEqual(
    counted,
    before.map((one) => one + 1),
  );
  const changes = main.getByText('License created').first();
  await changes.waitFor();

  await main.getByRole('button', { name: `Extend license ${license.id}` }).click();
  await page.getByRole('menuitem', { name: 'By 1 year' }).click();
  await page.getByText('The license now expires on').waitFor();
  const undo = page.getByRole('button', { name: 'Undo' }).locator('.mantine-Button-label');
  const [all, shown] = await undo.evaluate((one) => [one.scrollWidth, one.clientWidth]);
  assert.ok(Number(all) <= Number(shown), `Undo is cut off: ${all} px in ${shown} px`);
  await main.getByRole('button', { name: `Extend license ${license.id}` }).waitFor({ state: 'hidden' });
  const { expires_at: until } = await api.ok('GET', `/licenses/${license.license_key}`);
  const days = (Date.parse(`${until}Z`) - Date.parse(`${license.expires_at}Z`)) / 86_400_000;
  assert.equal(days, 365);

  await main.getByRole('combobox', { name: 'Product' }).click();
  await main.getByRole('combobox', { name: 'Product', expanded: true }).fill(String(PRODUCT));
  await page.getByRole('option', { name: String(PRODUCT) }).click();
  await main.getByText('of this product').waitFor();
  await loaded(page);
  assert.equal(await number('New licenses'), 1);
  await main.getByText('90 days').click();
  await untilTrue(page, `location.search === '?product=${PRODUCT}&days=90'`);
  await loaded(page);
  assert.deepEqual(
    [await number('Licenses'), await number('New licenses'), await number('Renewals')],
    [2, 2, 1],
  );
  // Numbers that are not counted by product are hidden.
  assert.equal(
    await main
      .locator('dt')
      .filter({ hasText: /Seats|ctivations|Validations/ })
      .count(),
    0,
  );
  assert.equal(await main.getByRole('region', { name: /ctivations|Validations|Recent changes/ }).count(), 0);
  await main.getByRole('region', { name: 'New licenses and renewals' }).waitFor();
});

test('large numbers fit their panels, and each tile shows its change', async (t) => {
  const page = await openAs(t, api, 'manager');
  await page.route('**/console/api/dashboard*', async (route) => {
    const response = await route.fetch();
    const data = await response.json();
    data.days.at(-1).validations = 1_234_567;
    data.days.at(-1).downloads = 0;
    for (const day of data.days.slice(0, -1)) Object.assign(day, { validations: 0, downloads: 0 });
    Object.assign(data.earlier, { validations: 617_283, downloads: 0 });
    await route.fulfill({ response, json: data });
  });
  await goTo(page, '/');
  const tile = (name: string) => page.locator('dl > div').filter({ hasText: name });
  const inUse = page.getByRole('region', { name: 'Versions in use' });
  await inUse
    .getByText(/^\d+(\.\d)?% of update checks$/)
    .first()
    .waitFor();
  await inUse.getByText('Other versions').waitFor();
  await tile('Validations').getByText('+100% vs. the 30 days before').waitFor();
  await tile('Downloads').getByText('last 30 days').waitFor();
  await page.locator('.recharts-yAxis-tick-labels text').first().waitFor();
  const out =
    await page.evaluate(`[...document.querySelectorAll('section:has(.recharts-surface)')].flatMap((panel) => {
    const { left, right } = panel.getBoundingClientRect();
    return [...panel.querySelectorAll('.recharts-surface, .recharts-yAxis-tick-labels text')].flatMap((one) => {
      const at = one.getBoundingClientRect();
      return at.left < left || at.right > right ? [one.textContent + ' from ' + at.left + ' to ' + at.right + ' of ' + left + ' to ' + right] : [];
    });
  })`);
  assert.deepEqual(out, []);
});

test('the first steps stay until there is a license, and how to connect a program until one is used', async (t) => {
  let licenses = 0;
  const page = await openAs(t, api, 'manager');
  await page.route('**/console/api/dashboard*', async (route) => {
    const response = await route.fetch();
    const data = await response.json();
    const unused = { activations: 0, deactivations: 0, validations: 0, downloads: 0 };
    for (const day of data.days) Object.assign(day, unused);
    Object.assign(data, { seats: { total: 0, is_more: false } });
    Object.assign(data.totals, { licenses, software: 1, generators: 1 });
    await route.fulfill({ response, json: data });
  });
  const main = page.getByRole('main');
  const program = main.getByRole('region', { name: 'Connect your program' });
  await goTo(page, '/');
  await main.getByRole('region', { name: 'Create your first license' }).waitFor();
  await program.getByText('/client/v1/activate').waitFor();
  licenses = 1;
  await page.reload();
  await main.getByText('Seats in use').waitFor();
  await program.getByText('/client/v1/activate').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.reload();
  await main.getByText('Seats in use').waitFor();
  await loaded(page);
  assert.equal(await program.count(), 0);
});
