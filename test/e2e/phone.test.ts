import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { openAs, PHONE, startConsole } from '../support/console/console-browser.ts';
import {
  assertAccessible,
  assertAccessibleInThisSize,
  assertNoSidewaysScroll,
  settled,
} from '../support/console/console-page.ts';
import { goTo, loaded, NO_LICENSES, turnTo, withFewRows } from './pages.ts';

const api = await startConsole({ after });
const license = await api.license();
await api.activation(license.license_key, { label: 'kiosk' });

/** Pages, each with a button that opens its main dialog. */
const PLACES: readonly [path: string, primary: string | null][] = [
  ['/', null],
  ['/licenses', 'Create license'],
  [`/licenses/${license.id}`, 'Edit'],
  ['/activations', null],
  ['/generators', 'Create generator'],
  ['/software', 'Create software'],
  ['/software/1', 'Publish release'],
  ['/import', null],
  ['/api-keys', 'Create API key'],
  ['/audit', null],
  ['/settings', null],
  ['/users', 'Invite user'],
  ['/account', 'Turn on'],
  ['/nowhere', null],
];

/** Controls beyond the edge of the screen, labels and values that are cut off, and elements that scroll sideways. */
const BEYOND = `(() => {
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]');
  const name = (one) => one.outerHTML.slice(0, 120);
  const operated = [...document.querySelectorAll('a, button, input, select, textarea, [role=button]')].filter(isShown);
  const beyond = operated.filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 1 && (left < 0 || right > innerWidth);
  });
  const sideways = [...document.querySelectorAll('main *, [role=dialog] *')].filter(
    (one) => isShown(one) && one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX),
  );
  const cut = [...document.querySelectorAll('.mantine-SegmentedControl-label, dd')].filter(
    (one) => isShown(one) && (one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth),
  );
  beyond.push(...cut);
  return { beyond: beyond.map(name), sideways: sideways.map(name) };
})()`;
const NOTHING = { beyond: [], sideways: [] };

test('on a phone, every page is accessible and every control is reachable without sideways scrolling', async (t) => {
  const page = await openAs(t, api, 'owner', PHONE);
  for (const [path, primary] of PLACES)
    await t.test(path.replace(/\d{2,}/, 'id'), async () => {
      await turnTo(page, withFewRows(path));
      await assertNoSidewaysScroll(page);
      assert.deepEqual(await page.evaluate(BEYOND), NOTHING);
      await assertAccessible(page);
      const row = page.locator('tbody tr').first();
      for (const one of await row.locator('a, button, input').all()) await one.click({ trial: true });
      if (primary === null) return;
      await page.getByRole('button', { name: primary }).click();
      await page.getByRole('dialog').waitFor();
      await loaded(page);
      await settled(page);
      assert.deepEqual(await page.evaluate(BEYOND), NOTHING);
      // `opened.test.ts` checks these dialogs in a wide window.
      await assertAccessibleInThisSize(page, '[role="dialog"]');
    });
});

test('a card list is a table for screen readers, and its rows can be selected and opened', async (t) => {
  const page = await openAs(t, api, 'owner', PHONE);
  await goTo(page, withFewRows('/licenses'));
  await page.getByRole('link', { name: 'Trash' }).waitFor();
  const row = page.getByRole('row').nth(1);
  // A card has two lines.
  const height = (await row.boundingBox())?.height;
  assert.ok(height && height < 90, `a card is ${height} px high`);
  const key = await row.getByRole('link').textContent();
  const tree = await (await page.context().newCDPSession(page)).send('Accessibility.getFullAXTree');
  const roles = Map.groupBy(tree.nodes, ({ role }) => role?.value);
  assert.equal(roles.get('table')?.length, 1);
  assert.ok(roles.get('columnheader')?.some(({ name }) => name?.value === 'Expires'));
  assert.equal(roles.get('row')?.length, 1 + (await page.locator('tbody tr').count()));
  await row.getByRole('checkbox').press('Space');
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.getByRole('menuitem', { name: '30 days' }).waitFor();
  await page.keyboard.press('Escape');
  await row
    .getByRole('cell')
    .last()
    .click({ position: { x: 20, y: 12 } });
  await page.getByRole('heading', { level: 1, name: String(key) }).waitFor();
});

test('a phone neither capitalizes nor corrects a key, a search or an entitlement', async (t) => {
  const page = await openAs(t, api, 'owner', PHONE);
  const isExact = async (field: Locator) => {
    await field.waitFor();
    assert.equal(await field.getAttribute('autocapitalize'), 'none');
    assert.equal(await field.getAttribute('autocorrect'), 'off');
  };
  await turnTo(page, `/licenses/${license.id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await isExact(page.getByRole('textbox', { name: 'License key' }));
  await isExact(page.getByRole('combobox', { name: 'Entitlements' }));
  await turnTo(page, NO_LICENSES);
  await isExact(page.getByRole('searchbox'));
});
