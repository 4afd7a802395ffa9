import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import {
  assertAccessible,
  assertAccessibleInBothSchemes,
  assertListsFit,
  assertNoSidewaysScroll,
} from '../support/console/console-page.ts';
import { delivered, newEndpoint } from '../support/events.ts';
import { startReceiver } from '../support/receiver.ts';
import { goTo, isFocused, pressBlockedBack, turnTo } from './pages.ts';

const api = await startConsole({ after }, { storage: { webhookNetworks: ['127.0.0.0/8'] } });
/** The receiver's status by path; 200 if none is set. */
const statuses = new Map<string, number>();
const receiver = await startReceiver({ after }, (from, path) => {
  const status = statuses.get(path);
  if (status) from.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  return status !== undefined;
});
const at = (path: string): string => `http://127.0.0.1:${receiver.port}${path}`;
const send = () => delivered(api);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** Reads a secret that is shown once, and closes the dialog. */
async function takeSecret(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name });
  const [secret = ''] = /whsec_\S+/.exec(await dialog.innerText()) ?? [];
  await page.keyboard.press('Escape');
  await button(page, 'Done').click();
  await dialog.waitFor({ state: 'hidden' });
  return secret;
}

test('an endpoint is created, receives events, shows its deliveries, and is deleted', async (t) => {
  const page = await openAs(t, api, 'manager', { viewport: { width: 1280, height: 1600 } });
  await goTo(page, '/events');
  await page.getByText('No endpoints yet').waitFor();
  await button(page, 'Create endpoint').first().click();
  const form = page.getByRole('dialog', { name: 'Create event endpoint' });
  await form.getByLabel('Address').fill('http://10.1.2.3/');
  await form.getByLabel('Description').fill('CRM');
  const types = form.getByRole('group', { name: 'Events' });
  await types.getByLabel('All events').uncheck();
  await form.getByRole('button', { name: 'Create endpoint' }).click();
  await types.getByText('Select at least one.').waitFor();
  await isFocused(types.getByLabel('All events'));
  await types.getByRole('checkbox', { name: 'All (Licenses)' }).check();
  await form.getByRole('button', { name: 'Add header' }).click();
  await form.getByLabel('Value of header 1').fill('Bearer 1');
  await form.getByRole('button', { name: 'Create endpoint' }).click();
  await form.getByText('Each value needs a name.').waitFor();
  await form.getByLabel('Name of header 1').fill('Authorization');
  await form.getByRole('button', { name: 'Create endpoint' }).click();
  await form.getByText('This address is not public.').waitFor();
  await assertAccessibleInBothSchemes(page, '[role="dialog"]');
  await form.getByLabel('Address').fill(at('/crm'));
  await form.getByRole('button', { name: 'Create endpoint' }).click();
  await page.getByRole('dialog', { name: 'New event endpoint' }).waitFor();
  await assertAccessible(page, '[role="dialog"]');
  const secret = await takeSecret(page, 'New event endpoint');
  const [stored] = await api.service.store.read.endpoints.list();
  assert.ok(stored);
  assert.equal((await api.service.store.read.endpoints.secrets(stored.id))?.secret, secret);

  await api.license();
  await page.getByRole('link', { name: 'CRM' }).click();
  await button(page, 'Send test event').click();
  await page.getByText('Test event sent.').first().waitFor();
  await send();
  const row = page.getByRole('row', { name: /endpoint\.test/ });
  await row.getByText('Delivered').waitFor();
  assert.equal(receiver.seen.at(-1)?.headers.authorization, 'Bearer 1');
  await assertListsFit(page);
  await assertAccessibleInBothSchemes(page);
  await row.getByRole('button').click();
  const drawer = page.getByRole('dialog', { name: 'Event 2: endpoint.test' });
  await drawer.getByText('thanks').waitFor();
  await drawer.getByText('"description": "CRM"').waitFor();
  await drawer.getByRole('row', { name: 'Authorization Hidden' }).waitFor();
  await assertAccessibleInBothSchemes(page, '[role="dialog"]');
  await drawer.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('1 event will be sent again.').first().waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
  await button(page, 'Redeliver range…').click();
  const range = page.getByRole('dialog', { name: 'Redeliver a range' });
  await range.getByLabel('From number').fill('1');
  await range.getByLabel('To number').fill('9');
  await range.getByRole('button', { name: 'Redeliver' }).click();
  await range.getByText('Enter a whole number from 1 to 2.').waitFor();
  await range.getByLabel('To number').fill('2');
  await range.getByRole('button', { name: 'Redeliver' }).click();
  await range.waitFor({ state: 'hidden' });
  await send();
  const idsSeen = receiver.seen.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual([idsSeen.length >= 4, new Set(idsSeen).size], [true, 2]);

  await button(page, 'Actions for CRM').click();
  await page.getByRole('menuitem', { name: 'Rotate secret…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog', { name: 'New secret' }).waitFor();
  await pressBlockedBack(page);
  assert.notEqual(await takeSecret(page, 'New secret'), secret);
  await page.getByText('Old secret works until').waitFor();
  await button(page, 'Actions for CRM').click();
  await page.getByRole('menuitem', { name: 'Rotate secret…' }).click();
  const again = page.getByRole('dialog', { name: 'Rotate the secret?' });
  await again.getByText('stops working now').waitFor();
  await again.getByRole('button', { name: 'Cancel' }).click();
  await again.waitFor({ state: 'hidden' });
  await button(page, 'Actions for CRM').click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit CRM' });
  await edit.getByText('Sent with each request: Authorization').waitFor();
  await edit.getByRole('switch', { name: 'Deliver in order' }).check({ force: true });
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await edit.waitFor({ state: 'hidden' });
  const changed = await api.service.store.read.endpoints.find(stored.id);
  assert.deepEqual([changed?.isOrdered, changed?.headerNames], [true, ['Authorization']]);
  await button(page, 'Actions for CRM').click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }).click();
  await page.getByText('No endpoints yet').waitFor();
  await turnTo(page, `/audit?subject=event_endpoint:${stored.id}`);
  for (const action of ['deleted', 'updated', 'created'])
    await page.getByRole('row', { name: new RegExp(`Event endpoint ${action}`) }).waitFor();
});

test('a failing receiver is shown across the console, also on a phone, and retried at once; an ended one is re-enabled', async (t) => {
  await newEndpoint(api, { kind: 'poll', description: 'Warehouse' });
  const { id } = await newEndpoint(api, { url: at('/billing'), description: 'Billing', isOrdered: false });
  statuses.set('/billing', 503);
  for (let i = 0; i < 6; i++) {
    await api.license();
    await send();
  }
  const page = await openAs(t, api, 'owner', { viewport: { width: 360, height: 740 } });
  await goTo(page, '/');
  await page.getByText('An event endpoint needs attention').waitFor();
  await assertAccessibleInBothSchemes(page);
  await assertNoSidewaysScroll(page);
  await page.getByRole('main').getByRole('link', { name: 'Billing', exact: true }).click();
  await page.getByText(/The last \d+ attempts failed/).waitFor();
  await page.getByText('The receiver answered 503.').waitFor();
  await assertAccessible(page);
  await assertNoSidewaysScroll(page);
  await turnTo(page, '/events');
  await page
    .getByRole('row', { name: /Billing/ })
    .getByText('HTTP 503')
    .waitFor();
  await assertAccessibleInBothSchemes(page);
  await assertNoSidewaysScroll(page);
  await page.getByRole('link', { name: 'Warehouse' }).click();
  await page.getByText(/curl -u KEY:SECRET ".*\/events\?endpoint=\d+&after=0"/).waitFor();
  await assertAccessible(page);
  await assertNoSidewaysScroll(page);

  await page.setViewportSize({ width: 1280, height: 900 });
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link', { name: 'Events 1 endpoint needs attention' }).waitFor();
  statuses.set('/billing', 410);
  await turnTo(page, `/events/${id}`);
  await button(page, 'Try again now').click();
  await page.getByText('Waiting events are sent now.').first().waitFor();
  await send();
  await page.getByText('The receiver has ended this endpoint').waitFor();
  await assertAccessibleInBothSchemes(page);
  statuses.set('/billing', 503);
  await button(page, 'Enable again').click();
  await page.getByText('Endpoint enabled.').first().waitFor();
  await page.getByText('The receiver has ended this endpoint').waitFor({ state: 'hidden' });
  await send();
  statuses.delete('/billing');
  // The text of the first time may still be there.
  const enabled = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await button(page, 'Try again now').click();
  await enabled;
  await send();
  await page.getByText('0 waiting, 0 failed.').waitFor();
  await navigation.getByRole('link', { name: 'Events', exact: true }).waitFor();
});
