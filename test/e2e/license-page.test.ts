import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signedIn } from '../support/console/console.ts';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessible, untilTrue } from '../support/console/console-page.ts';
import { newName } from '../support/http/api.ts';
import { goTo, turnTo } from './pages.ts';

const api = await startConsole({ after });

test('a license links to its order, product and customer; an invalid address shows "Page not found"', async (t) => {
  const ids = { order_id: 66001, product_id: 66002, user_id: 0 };
  const { id } = await api.license(ids);
  const page = await openAs(t, api, 'viewer');
  for (const [name, value] of [
    ['order', '66001'],
    ['product', '66002'],
    // A guest of WooCommerce.
    ['customer', '0'],
  ] as const) {
    await turnTo(page, `/licenses/${id}`);
    await page.getByRole('link', { name: value, exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get(name) === value);
    await untilTrue(page, `document.querySelectorAll('tbody tr[data-to]').length === 1`);
    await page.getByRole('button', { name: new RegExp(`^Remove filter ${name}: ${value}$`, 'i') }).waitFor();
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
  await page.getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Disabled' }).click();
  await page.getByText('Status is now “Disabled”.').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  const rows = page.getByRole('table', { name: 'History' }).locator('tbody tr');
  await rows.getByText('Status: Active → Disabled').waitFor();
  const events = await rows.evaluateAll((found) => found.map((row) => row.children[1]?.textContent));
  assert.deepEqual(events.sort(), ['Activated', 'Created', 'Deactivated', 'Updated']);
  await rows.filter({ hasText: 'Activated' }).getByText('Program').waitFor();
  assert.equal(await rows.filter({ hasText: 'Deactivated' }).getByText('Program').count(), 0);
});

test("a floating seat is extended, and borrowed within the license's limit; its rules are changed", async (t) => {
  const page = await openAs(t, api, 'support');
  const { id, license_key: key } = await api.license({ seat_ttl: 600, borrow_max_hours: 48 });
  await api.activation(key, { label: 'Travel laptop' });
  await goTo(page, `/licenses/${id}`);
  await page.getByText('Floating, lapse after 10 minutes · Can be borrowed for 48 hours').waitFor();
  const row = page.getByRole('row', { name: /Travel laptop/ });
  await row.getByText(/^Lapses in (10|9) minutes$/).waitFor();
  await row.getByRole('button', { name: 'Extend seat: Travel laptop' }).click();
  await page.getByText(/^The seat is held until/).waitFor();
  await row.getByRole('button', { name: 'Borrow seat: Travel laptop' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Hours').fill('49');
  await dialog.getByRole('button', { name: 'Borrow seat' }).click();
  await dialog.getByText('Enter a whole number from 1 to 48.').waitFor();
  // Somebody has lowered the limit since.
  await api.ok('PUT', `/licenses/${key}`, { json: { borrow_max_hours: 24 } });
  await dialog.getByLabel('Hours').fill('48');
  await dialog.getByRole('button', { name: 'Borrow seat' }).click();
  await dialog.getByText('This must be an integer from 0 to 24.').waitFor();
  await assertAccessible(page, '[role="dialog"]');
  await dialog.getByLabel('Hours').fill('24');
  await dialog.getByRole('button', { name: 'Borrow seat' }).click();
  await row.getByText(/^Borrowed until/).waitFor();
  await row.getByRole('button', { name: 'Deactivate: Travel laptop' }).click();
  await row.getByRole('button', { name: 'Reactivate: Travel laptop' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText(/^Borrowed until/).waitFor();

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Seat lapses after').fill('2');
  await dialog.getByRole('combobox', { name: 'Unit' }).selectOption('hours');
  await dialog.getByLabel('Takeovers in 30 days').fill('3');
  await dialog.getByLabel('Entitlements').fill('pro,team');
  await dialog.getByText('Leases').click();
  await dialog.getByLabel('Good for (days)').fill('30');
  await assertAccessible(page, '[role="dialog"]');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Floating, lapse after 2 hours · .* · 3 takeovers in 30 days$/).waitFor();
  await page.getByText('pro · team').waitFor();
  await page.getByText(/^Good for 30 days · Refreshed after 24 hours · /).waitFor();
  const saved = await api.ok('GET', `/licenses/${key}`);
  assert.deepEqual([saved.entitlements, saved.lease_days, saved.lease_grace_days], [['pro', 'team'], 30, 7]);
  assert.deepEqual([saved.seat_ttl, saved.takeovers_per_month, saved.borrow_max_hours], [7_200, 3, 24]);
  await page.getByRole('tab', { name: 'History' }).click();
  const events = page.getByRole('table', { name: 'History' });
  const borrowed = events.getByRole('row', { name: /Seat borrowed.*Travel laptop.*Borrowed for: 24 hours/ });
  await borrowed.first().waitFor();
  await events.getByRole('row', { name: /Seat extended.*Travel laptop/ }).waitFor();
});

test('the page of an expired or disabled license says so, and beside each activation', async (t) => {
  const page = await openAs(t, api, 'viewer');
  const { id, license_key: key } = await api.license();
  await api.activation(key, { label: 'Studio' });
  await api.ok('PUT', `/licenses/${key}`, { json: { expires_at: '2020-01-01' } });
  await goTo(page, `/licenses/${id}`);
  await page.getByText('Expired', { exact: true }).waitFor();
  await page.getByRole('row', { name: /Studio.*License expired.*still holds a seat/ }).waitFor();
  await assertAccessible(page);
  await api.ok('PUT', `/licenses/${key}`, { json: { status: 'disabled' } });
  await page.reload();
  await page.getByRole('row', { name: /Studio.*License disabled/ }).waitFor();
  // The list of what holds a seat says the same.
  await turnTo(page, `/activations?license=${id}&state=valid`);
  await page.getByRole('row', { name: /Studio.*License disabled/ }).waitFor();
  assert.equal(await page.getByLabel('State').inputValue(), 'Holds a seat');
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

test("the audit trail is filtered by days of the user's time zone", async (t) => {
  const { id, created_at } = await api.license();
  // At any time, one of these places has another day than UTC.
  for (const [timezoneId, hours] of [
    ['Pacific/Kiritimati', 14],
    ['Pacific/Pago_Pago', -11],
  ] as const) {
    const there = new Date(Date.parse(`${created_at.replace(' ', 'T')}Z`) + hours * 3_600_000);
    const day = there.toISOString().slice(0, 10);
    const page = await openAs(t, api, 'owner', { timezoneId });
    for (const days of [`from=${day}&to=${day}`, 'from=0001-01-01&to=9999-12-31']) {
      await goTo(page, `/audit?subject=license:${id}&${days}`);
      await page.getByRole('cell', { name: 'License created' }).waitFor();
    }
    // A key at a time, as people do: a year such as 0002 on the way is a date, too.
    await page.getByLabel('From', { exact: true }).focus();
    await page.keyboard.type('11112026');
    await page.waitForURL((url) => url.searchParams.get('from') === '2026-11-11');
  }
});

test('each tab of a license has its own pages', async (t) => {
  const { id, license_key: key } = await api.license({ activations_limit: 0 });
  for (let i = 0; i < 51; i++) await api.activation(key);
  const page = await openAs(t, api, 'viewer');
  await goTo(page, `/licenses/${id}`);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.waitForURL((url) => url.searchParams.has('before'));
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('table', { name: 'History' }).waitFor();
  await page.getByRole('button', { name: 'Newer' }).and(page.locator(':disabled')).waitFor();
});

test('notes, tags and metadata are kept, found in the list, and shown in the history', async (t) => {
  const page = await openAs(t, api, 'support');
  const { id } = await api.license();
  const tag = newName();
  await goTo(page, `/licenses/${id}`);
  const notes = page.getByRole('region', { name: 'Notes' });
  await notes.getByText('No notes, tags or metadata.').waitFor();
  await notes.getByRole('button', { name: 'Add notes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit notes' });
  await dialog.getByRole('combobox', { name: 'Tags' }).fill(tag);
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Note').fill('Call back in May');
  await dialog.getByRole('button', { name: 'Add a value' }).click();
  await dialog.getByLabel('Value 1', { exact: true }).fill('R-17');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Each value needs a name.').waitFor();
  await dialog.getByLabel('Name 1', { exact: true }).fill('invoice');
  await assertAccessible(page, '[role="dialog"]');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await notes.getByText('Call back in May').waitFor();
  await notes.getByRole('row', { name: 'invoice R-17' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('row', { name: /Updated.*Note: .*Call back in May/ }).waitFor();

  await notes.getByRole('link', { name: tag }).click();
  await page.waitForURL((url) => url.searchParams.get('tag') === tag);
  await untilTrue(page, `document.querySelectorAll('tbody tr[data-to]').length === 1`);
  await page.getByRole('searchbox').fill('note: call may');
  await page.getByText('Matched by a note.').waitFor();
  await page.getByRole('button', { name: 'Clear all filters' }).waitFor();
});

test('metadata without a value stays as it is when other metadata is edited', async (t) => {
  const page = await openAs(t, api, 'support');
  const manager = await signedIn(api, 'manager');
  const { id } = await api.license();
  const meta = { empty: null, more: [null, ''], invoice: 'R-17' };
  await manager.ok('PATCH', `/licenses/${id}/notes`, { meta });
  await goTo(page, `/licenses/${id}`);
  await page.getByRole('region', { name: 'Notes' }).getByRole('button', { name: 'Edit notes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit notes' });
  await dialog.getByLabel('Value 4', { exact: true }).fill('R-18');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { meta: saved } = await manager.ok('GET', `/licenses/${id}/notes`);
  assert.deepEqual(saved, { ...meta, invoice: 'R-18' });
});

test('a deleted license is restored by undo or from the trash', async (t) => {
  const page = await openAs(t, api, 'manager');
  const { id, license_key: key } = await api.license();
  await api.activation(key, { label: 'Studio' });
  const remove = async () => {
    await turnTo(page, `/licenses/${id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete license' }).click();
    await page.getByText('Software that uses this key stops working.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete license' }).click();
    await page.getByRole('heading', { level: 1, name: 'Licenses' }).waitFor();
  };
  await remove();
  assert.equal((await api.call('GET', `/licenses/${key}`)).status, 404);
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('Undone', { exact: true }).waitFor();
  assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 1);

  await remove();
  await page.getByRole('link', { name: 'Trash' }).click();
  await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
  const row = page.getByRole('row', { name: new RegExp(key) });
  await row.waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: `Restore: ${key}` }).click();
  await page.getByText('1 license restored.').waitFor();
  await row.waitFor({ state: 'hidden' });
  assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 1);

  await remove();
  await page.goBack();
  await page.getByText(`The license ${id} could not be found.`).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0);
  await page.getByRole('link', { name: 'Look for it among the deleted licenses' }).click();
  await page.getByRole('button', { name: `Delete permanently: ${key}` }).click();
  const question = page.getByRole('dialog', { name: `Delete ${key} permanently?` });
  await question.getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByText('Deleted permanently.').waitFor();
  await row.waitFor({ state: 'hidden' });
});

test('a license leads to its activations, to those of an address, and to the licenses of a customer', async (t) => {
  const page = await openAs(t, api, 'support');
  const customer_email = `${newName()}@example.test`;
  const { id, license_key: key } = await api.license({ activations_limit: 0 });
  const owner = await signedIn(api, 'owner');
  await owner.ok('PATCH', `/licenses/${id}`, { customer_email });
  for (let i = 0; i <= 50; i++) await api.activation(key, { label: `PC-${i}` });
  await goTo(page, `/licenses/${id}`);
  await page.getByRole('link', { name: 'Find activations' }).click();
  await page.getByRole('searchbox', { name: 'Label starts with…' }).fill('pc-7');
  await page.getByText('1 total').waitFor();

  await turnTo(page, `/licenses/${id}`);
  await page.getByRole('row', { name: /PC-47/ }).getByRole('link', { name: '127.0.0.1' }).click();
  await page.waitForURL((url) => url.search === '?address=127.0.0.1');

  await turnTo(page, `/licenses/${id}`);
  await page.getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('menu').getByText('Only “Disabled” stops a license.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Find licenses with this email address' }).click();
  await page.getByText('Matched by the customer’s email address.').waitFor();
  await page.locator(`tr[data-to="/licenses/${id}"]`).waitFor();
});

test('support activates a device by hand, and the token is shown once', async (t) => {
  const page = await openAs(t, api, 'support');
  const { id } = await api.license({ activations_limit: 1 });
  const label = newName();
  await goTo(page, `/licenses/${id}`);
  await page.getByRole('button', { name: 'Activate a device' }).click();
  const dialog = page.getByRole('dialog', { name: 'Activate a device' });
  await dialog.getByLabel('Label').fill(label);
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
  const made = page.getByRole('dialog', { name: 'Device activated' });
  const token = String(await made.locator('code').textContent());
  await assertAccessible(page, '[role="dialog"]');
  assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).label, label);
  await made.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: new RegExp(label) }).waitFor();
  await page.getByRole('button', { name: 'Activate a device' }).click();
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
  await dialog.getByText('The license has reached its activation limit of 1. Raise it, or').waitFor();
});
