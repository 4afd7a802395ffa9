import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { signedIn } from '../support/console/console.ts';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessible, assertAccessibleInBothSchemes } from '../support/console/console-page.ts';
import { numberOf } from '../support/engine.ts';
import { newKey } from '../support/http/api.ts';
import { endOf, goTo, isFocused, NO_LICENSES, pressBlockedBack, turnTo } from './pages.ts';

const api = await startConsole({ after });

test('a form saves only its changed fields and keeps concurrent changes', async (t) => {
  // Use a separate window: its clock stays replaced.
  const page = await openAs(t, api, 'owner', {});
  const colleague = await signedIn(api, 'manager');
  const { id } = await api.license({ order_id: 1 });
  await page.clock.install();
  await goTo(page, `/licenses/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Order').fill('2');
  await colleague.ok('PATCH', `/licenses/${id}`, { activations_limit: 77, user_id: 5 });
  // Refetch behind the form, as on window focus.
  const fetched = page.waitForResponse((response) => response.url().endsWith(`/licenses/${id}`));
  await page.clock.fastForward(60_000);
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
  await fetched;
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const saved = await colleague.ok('GET', `/licenses/${id}`);
  assert.deepEqual([saved.order_id, saved.activations_limit, saved.user_id], [2, 77, 5]);

  const generator = await api.generator();
  await turnTo(page, '/generators');
  await page
    .getByRole('button', { name: `Actions for ${generator.name}` })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog.getByLabel('Prefix').fill('AB-');
  await dialog.getByLabel('Seat lapses after').fill('90');
  await dialog.getByLabel('Reclaim after (days)').fill('45');
  await colleague.ok('PATCH', `/generators/${generator.id}`, { chunks: 9 });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { items } = await colleague.ok('GET', '/generators');
  const changed = items.find((one: { id: number }) => one.id === generator.id);
  assert.deepEqual([changed.prefix, changed.chunks], ['AB-', 9]);
  assert.deepEqual([changed.seat_ttl, changed.reclaim_after_days, changed.match], [5_400, 45, 'fingerprint']);
});

test('a form shows which of its fields somebody else has changed, and asks whose values to keep', async (t) => {
  const page = await openAs(t, api, 'owner');
  const colleague = await signedIn(api, 'manager');
  const form = page.getByRole('dialog', { name: 'Edit' });
  const question = page.getByRole('dialog', { name: 'Someone else changed this too' });
  const now = () => colleague.ok('GET', `/licenses/${id}`);
  const save = () => form.getByRole('button', { name: 'Save' }).click();
  const { id } = await api.license({ status: 'active', order_id: 1, activations_limit: 5 });
  await goTo(page, `/licenses/${id}`);
  // A form that is opened right after it has closed must show what it has saved.
  await page.route(`**/licenses/${id}`, async (route) => {
    if (route.request().method() === 'GET') await setTimeout(300);
    await route.continue();
  });
  const edit = async () => {
    await page.getByRole('button', { name: 'Edit' }).click();
    await form.getByLabel('Order').fill('2');
    await form.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Disabled' }).click();
  };
  await edit();
  await colleague.ok('PATCH', `/licenses/${id}`, { status: 'sold', activations_limit: 9 });
  await save();
  // The row of each field that both users changed, and no other.
  const row = question.getByRole('row', { name: 'Status' });
  await row.waitFor();
  assert.deepEqual(await row.getByRole('cell').allTextContents(), ['Disabled', 'Sold']);
  assert.equal(await question.getByRole('row').count(), 2);
  await assertAccessible(page, '[role="dialog"]');
  await question.getByRole('button', { name: 'Back to the form' }).click();
  await question.waitFor({ state: 'hidden' });
  assert.equal(await form.getByLabel('Order').inputValue(), '2');
  assert.deepEqual([(await now()).status, (await now()).order_id], [1, 1]);

  await save();
  await question.getByRole('button', { name: 'Take theirs' }).click();
  await form.waitFor({ state: 'hidden' });
  const merged = await now();
  assert.deepEqual([merged.status, merged.order_id, merged.activations_limit], [1, 2, 9]);

  const local = '2031-02-03T04:05';
  const expires = async () => {
    await form.getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'On a date…' }).click();
    await form.getByLabel('Date and time').fill(local);
  };
  await edit();
  await expires();
  await colleague.ok('PATCH', `/licenses/${id}`, {
    ...{ status: 'delivered', order_id: 3 },
    expires_at: new Date(`${local}Z`).toISOString(),
  });
  await save();
  await question.getByRole('row', { name: 'Status' }).waitFor();
  // Both have chosen the same time.
  assert.equal(await question.getByRole('row').count(), 2);
  await question.getByRole('button', { name: 'Overwrite with mine' }).click();
  await form.waitFor({ state: 'hidden' });
  assert.deepEqual([(await now()).status, (await now()).order_id], [5, 3]);
});

test('an undo keeps later changes, and can be retried after a failure', async (t) => {
  const page = await openAs(t, api, 'owner');
  const colleague = await signedIn(api, 'manager');
  const { id } = await api.license({ status: 'active' });
  await goTo(page, `/licenses/${id}`);
  const toast = (status: string) => page.getByRole('alert').filter({ hasText: `Status is now “${status}”.` });
  const setTo = async (status: string) => {
    await page.getByRole('button', { name: 'Status', exact: true }).click();
    await page.getByRole('menuitem', { name: status }).click();
    await toast(status).waitFor();
  };
  await setTo('Sold');
  await colleague.ok('PATCH', `/licenses/${id}`, { status: 'disabled' });
  await toast('Sold').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 was changed in the meantime and was left as it is.').waitFor();
  assert.equal((await colleague.ok('GET', `/licenses/${id}`)).status, 5);

  await setTo('Delivered');
  const refusal = { status: 409, headers: { 'x-request-id': '1' }, json: { message: 'Not now.' } };
  await page.route('**/licenses/bulk', (route) => route.fulfill(refusal), { times: 1 });
  await toast('Delivered').getByRole('button', { name: 'Undo' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'Not now.' });
  await failed.waitFor();
  // A refusal says what is wrong by itself.
  assert.equal(await failed.getByText('Something went wrong').count(), 0);
  await assertAccessibleInBothSchemes(page, '.mantine-Notifications-root[data-position=bottom-left]');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Undone', { exact: true }).waitFor();
  assert.equal((await colleague.ok('GET', `/licenses/${id}`)).status, 5);
});

test('an invalid number stays as typed, shows an error, and creates nothing', async (t) => {
  const page = await openAs(t, api, 'owner');
  const generator = await api.generator();
  const count = () => numberOf(api.dataDir, 'select count(*) from licenses');
  const before = await count();
  await goTo(page, '/generators');
  await page
    .getByRole('button', { name: `Generate keys with ${generator.name}` })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  const amount = dialog.getByLabel('Number of keys');
  for (const typed of ['0', '200000']) {
    await amount.fill(typed);
    await amount.press('Enter');
    await dialog.getByText(/whole number from 1 to 100,000|integer from 1 to 100000/).waitFor();
    await amount.blur();
    assert.equal((await amount.inputValue()).replaceAll(/\D/g, ''), typed);
  }

  for (const typed of ['1.5', '1e3', '#1042-A', '-3', '007', ' 12']) {
    await amount.fill('');
    await amount.pressSequentially(typed);
    await amount.blur();
    assert.equal(await amount.inputValue(), typed);
  }
  await amount.fill('41');
  await amount.press('ArrowUp');
  assert.equal(await amount.inputValue(), '42');

  await goTo(page, '/generators?create=yes');
  await dialog.getByRole('textbox', { name: 'Chunks' }).fill('20');
  await dialog.getByLabel('Characters per chunk').fill('20');
  const tooLong = dialog.getByText('This makes keys of');
  await tooLong.waitFor();
  await dialog.getByRole('textbox', { name: 'Chunks' }).fill('2');
  await tooLong.waitFor({ state: 'hidden' });

  const order = '12345678901234567890';
  await turnTo(page, `${NO_LICENSES}&create=yes`);
  await dialog.getByText('Enter a key').click();
  await dialog.getByLabel('License key').fill(newKey());
  await dialog.getByLabel('Order').fill(order);
  await dialog.getByLabel('Order').blur();
  assert.equal(await dialog.getByLabel('Order').inputValue(), order);
  await dialog.getByRole('button', { name: 'Create license' }).click();
  await dialog.getByText(/must be an integer from 0/).waitFor();
  // The form is longer than the window: its error would be out of view.
  await isFocused(dialog.getByLabel('Order'));
  assert.equal(await dialog.getByLabel('Order').inputValue(), order);

  // Leaving the page asks the same question as closing the form.
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await pressBlockedBack(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  assert.equal(await dialog.getByLabel('Order').inputValue(), order);
  await pressBlockedBack(page);
  await question.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Generators' }).waitFor();
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await count(), before);

  const { id } = await api.license({ expires_at: '2999-01-01' });
  await turnTo(page, `/licenses/${id}`);
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.getByRole('menuitem', { name: 'Custom number of days' }).click();
  await dialog.getByLabel('Days').fill('');
  await dialog.getByRole('button', { name: 'Extend' }).click();
  await dialog.getByText('Enter a whole number from 1 to 36,500.').waitFor();
  await dialog.getByLabel('Days').fill('1');
  await dialog.getByRole('button', { name: 'Extend' }).click();
  await page.getByText('1 license extended.').first().waitFor();
});

test('Escape stops a generation, and no license is created', async (t) => {
  const page = await openAs(t, api, 'owner');
  const colleague = await signedIn(api, 'manager');
  const count = async () => (await colleague.ok('GET', '/licenses')).total;
  const before = await count();
  const { name } = await api.generator();
  await goTo(page, '/generators');
  const opening = page.getByRole('button', { name: `Generate keys with ${name}` }).first();
  await opening.click();
  const gate = Promise.withResolvers<void>();
  await page.route('**/generate', async (route) => {
    await gate.promise;
    await route.continue().catch(() => undefined);
  });
  const sending = page.waitForRequest('**/generate');
  const dialog = page.getByRole('dialog', { name: `Generate keys with ${name}` });
  await dialog.getByRole('button', { name: 'Generate licenses' }).click();
  const sent = await sending;
  const over = endOf(page, sent);
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await question.waitFor();
  // The generation would go on now, while the question is open.
  gate.resolve();
  await over;
  await question.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await count(), before);

  // Once unsaved keys were discarded, the next page opens without a question.
  await opening.click();
  await dialog.getByRole('switch').or(dialog.getByRole('checkbox')).first().click({ force: true });
  await dialog.getByLabel('Number of keys').press('Enter');
  await dialog.getByLabel('Number of keys').waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('link', { name: 'Licenses', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Licenses' }).waitFor();
});

test('an invalid filter shows an error instead of all records', async (t) => {
  const page = await openAs(t, api, 'owner');
  for (const filter of ['order=abc', 'order=9999999999999999', 'status=bogus', 'expiry=later']) {
    await goTo(page, `/licenses?${filter}`);
    await page.getByText(`The filter ${filter} is not valid`).waitFor();
    assert.equal(await page.getByRole('table').count(), 0);
  }
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('table', { name: 'Licenses' }).locator('tbody tr[data-to]').first().waitFor();
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('textbox', { name: 'Order' }).fill('9999999999999999');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Enter a whole number.').waitFor();
  await page.getByRole('textbox', { name: 'Order' }).fill('');
  const created = page.getByLabel('Created from');
  await created.pressSequentially('12');
  await page.getByRole('button', { name: 'Apply' }).click();
  await created.and(page.locator(':focus')).waitFor();
});

test('switching to another part of a form is no change, but earlier input still is', async (t) => {
  const page = await openAs(t, api, 'owner');
  await goTo(page, NO_LICENSES);
  const open = async () => {
    await page.getByRole('button', { name: 'Create license' }).click();
    return page.getByRole('dialog', { name: 'Create license' });
  };
  const form = await open();
  const ways = form.getByRole('radiogroup').first().locator('label');
  await ways.nth(1).click();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'hidden' });

  await open();
  await form.getByLabel('Order').pressSequentially('7');
  await ways.nth(1).click();
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await question.getByRole('button', { name: 'Discard' }).click();
  await form.waitFor({ state: 'hidden' });
});
