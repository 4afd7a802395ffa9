import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { untilTrue } from '../support/console/console-page.ts';
import { newName } from '../support/http/api.ts';
import { goTo, turnTo } from './pages.ts';

const api = await startConsole({ after });

test('a license links to its order, product and customer; an invalid address shows no page', async (t) => {
  const ids = { order_id: 66001, product_id: 66002, user_id: 66003 };
  const { id } = await api.license(ids);
  const page = await openAs(t, api, 'viewer');
  for (const [name, value] of [
    ['order', '66001'],
    ['product', '66002'],
    ['customer', '66003'],
  ] as const) {
    await turnTo(page, `/licenses/${id}`);
    await page.getByRole('link', { name: value }).click();
    await page.waitForURL((url) => url.searchParams.get(name) === value);
    await untilTrue(page, `document.querySelectorAll('tbody tr[data-to]').length === 1`);
  }
  await turnTo(page, '/licenses/abc');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
});

test('the history of a license describes each event once', async (t) => {
  const page = await openAs(t, api, 'manager');
  const { id, license_key: key } = await api.license();
  const label = newName();
  await api.activation(key, { label });
  await goTo(page, `/licenses/${id}`);
  await page.getByRole('button', { name: `Deactivate: ${label}` }).click();
  await page.getByRole('button', { name: `Reactivate: ${label}` }).waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Disabled' }).click();
  await page.getByText('Status is now “Disabled”.').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  const rows = page.getByRole('table', { name: 'History' }).locator('tbody tr');
  await rows.getByText('Status: Active → Disabled').waitFor();
  const events = await rows.evaluateAll((found) => found.map((row) => row.children[1]?.textContent));
  assert.deepEqual(events.sort(), ['Activated', 'Created', 'Deactivated', 'Updated']);
  await rows.filter({ hasText: 'Activated' }).getByText('Program').waitFor();
  assert.equal(await rows.filter({ hasText: 'Deactivated' }).getByText('Program').count(), 0);
});

test("times are in the user's time zone, with UTC in a tooltip", async (t) => {
  const page = await openAs(t, api, 'viewer', { timezoneId: 'Pacific/Kiritimati' });
  // UTC+14.
  const { id } = await api.license({ expires_at: '2031-06-30 12:30:00' });
  await goTo(page, `/licenses/${id}`);
  const time = page.locator('time[datetime^="2031-06-30T12:30:00"]').first();
  assert.match(String(await time.textContent()), /1 Jul.* 2031.*0?2:30/);
  await time.hover();
  await page.getByRole('tooltip').getByText('2031-06-30 12:30:00 UTC').waitFor();
});
