import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { goTo, loaded } from './pages.ts';

const api = await startConsole({ after });

test('the dashboard counts recent activity and extends an expiring license', async (t) => {
  const page = await openAs(t, api, 'manager');
  await goTo(page, '/');
  const main = page.getByRole('main');
  const number = async (label: string): Promise<number> => {
    const text = await main.innerText();
    return Number(new RegExp(`^${label}\\n([\\d,]+)$`, 'm').exec(text)?.[1]?.replaceAll(',', ''));
  };
  const before = [await number('Licenses'), await number('New licenses'), await number('Activations')];
  assert.deepEqual(before.map(Number.isInteger), [true, true, true], String(before));
  const license = await api.license({ valid_for: 1 });
  await api.activation(license.license_key);
  await api.flushUsage();
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
  assert.ok(Number(all) <= Number(shown), `Undo is cut: ${all} px in ${shown}`);
  await main.getByRole('button', { name: `Extend license ${license.id}` }).waitFor({ state: 'hidden' });
  const { expires_at: until } = await api.ok('GET', `/licenses/${license.license_key}`);
  const days = (Date.parse(`${until}Z`) - Date.parse(`${license.expires_at}Z`)) / 86_400_000;
  assert.equal(days, 365);
});
