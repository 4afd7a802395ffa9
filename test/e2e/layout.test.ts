import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { openAs, PHONE, startConsole } from '../support/console/console-browser.ts';
import { assertListsFit, settled, shiftOf, WATCH_SHIFTS } from '../support/console/console-page.ts';
import { follow, goTo, loaded, turnTo } from './pages.ts';

const api = await startConsole({ after });
/** The layout shift allowed for a page. Up to 0.1 counts as good: https://web.dev/articles/cls */
const MOST = 0.02;
const LISTS = [
  '/licenses',
  '/activations',
  '/generators',
  '/software',
  '/api-keys',
  '/events',
  '/audit',
  '/users',
];
/** Checked in a wide window only: on a phone, the fields of a record wrap freely. */
const RECORDS = ['/licenses/1', '/software/1'];

const WINDOWS: Record<string, BrowserContextOptions> = { 'a wide window': {}, 'a phone': PHONE };
for (const [where, options] of Object.entries(WINDOWS))
  test(`lists fit and do not move when their rows arrive late, in ${where}`, async (t) => {
    const page = await openAs(t, api, 'owner', options);
    await page.addInitScript(WATCH_SHIFTS);
    let letThrough = () => {};
    await page.route(/\/console\/api\/(?!session)/, async (route) => {
      await held;
      await route.continue();
    });
    let held = Promise.resolve();
    const paths = where === 'a phone' ? LISTS : [...LISTS, ...RECORDS];
    for (const path of paths) {
      held = new Promise((resolve) => {
        letThrough = resolve;
      });
      await page.evaluate('window.layoutShift = 0');
      await (path === paths[0] ? page.goto(`/console${path}`) : follow(page, path));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy="true"], .mantine-Skeleton-root').first().waitFor();
      letThrough();
      await loaded(page);
      const shift = await shiftOf(page);
      assert.ok(shift < MOST, `${path} moves by ${shift}`);
      if (where === 'a wide window') await assertListsFit(page);
    }
  });

/** Whether the element with the focus is hidden behind something, such as a header that stays in view. */
const IS_FOCUS_HIDDEN = `(() => {
  const one = document.activeElement;
  const { x, y, width, height } = one.getBoundingClientRect();
  // The label of a radio button shows its focus.
  if (width < 2) return null;
  const above = document.elementFromPoint(x + width / 2, y + height / 2);
  return !above || !(one.contains(above) || above.contains(one)) ? one.outerHTML.slice(0, 200) : null;
})()`;

test('nothing hides the focus when the keyboard goes up a page, a list or a form', async (t) => {
  const page = await openAs(t, api, 'owner', { viewport: { width: 1280, height: 600 } });
  const goUp = async () => {
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Shift+Tab');
      assert.equal(await page.evaluate(IS_FOCUS_HIDDEN), null);
    }
  };
  await goTo(page, '/software/1');
  await page.getByRole('main').getByRole('button').last().focus();
  await goUp();
  await turnTo(page, '/audit');
  await page.getByRole('main').getByRole('link').last().focus();
  await goUp();
  await turnTo(page, '/licenses/1');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).focus();
  await goUp();
});

test('a printed page shows its whole list, without the header and the navigation', async (t) => {
  const page = await openAs(t, api, 'owner', { viewport: { width: 794, height: 600 } });
  await goTo(page, '/licenses');
  await page.emulateMedia({ media: 'print' });
  const list = page.getByRole('region', { name: 'Licenses' });
  assert.ok(await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight));
  assert.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 0);
});

/** Limits for the first load of the list of licenses, with nothing cached. The browser requests brotli. */
const REQUESTS = 16;
const BYTES = 250_000;

test('the first load of the list of licenses takes few requests', async (t) => {
  const page = await openAs(t, api, 'owner', { viewport: { width: 1280, height: 800 } });
  const browser = await page.context().newCDPSession(page);
  await browser.send('Network.enable');
  const sizes: number[] = [];
  browser.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength));
  await goTo(page, '/licenses');
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(sizes.length > 5 && sizes.length <= REQUESTS, `${sizes.length} requests`);
  assert.ok(bytes <= BYTES, `${bytes} bytes`);
});

test('row actions stay visible in a list wider than the window', async (t) => {
  const page = await openAs(t, api, 'owner', { viewport: { width: 900, height: 700 } });
  await goTo(page, '/activations');
  const frame = page.locator('section:has(> table)');
  const [all, shown] = await frame.evaluate((one) => [one.scrollWidth, one.clientWidth]);
  assert.ok(Number(all) > Number(shown), 'the list must be wider than the window');
  const edge = await frame.evaluate((one) => one.getBoundingClientRect().right);
  const button = await page
    .getByRole('button', { name: /^Delete/ })
    .first()
    .boundingBox();
  assert.ok(button && button.x + button.width <= edge, JSON.stringify(button));

  await page.setViewportSize({ width: 1024, height: 768 });
  await turnTo(page, '/software/1');
  await page.getByRole('columnheader', { name: 'Published' }).waitFor();
  await assertListsFit(page);
});

test('a toast does not cover the pager', async (t) => {
  const page = await openAs(t, api, 'owner', { viewport: { width: 1024, height: 768 } });
  await goTo(page, '/licenses');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Set status' }).click();
  await page.getByRole('menuitem', { name: 'Disabled' }).click();
  const toast = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Undo' }) });
  await toast.waitFor();
  await settled(page);
  const [over, pager] = [
    await toast.boundingBox(),
    await page.getByRole('navigation', { name: 'Pagination' }).boundingBox(),
  ];
  assert.ok(over && pager && over.x + over.width <= pager.x, JSON.stringify([over, pager]));
});

test('forced colors show what is chosen', async (t) => {
  const page = await openAs(t, api, 'owner', { forcedColors: 'active' });
  const look = (selector: string) =>
    page.evaluate(`(() => {
      const one = document.querySelector(${JSON.stringify(selector)});
      const { backgroundColor, outlineStyle, borderStyle } = getComputedStyle(one);
      return [backgroundColor, outlineStyle, borderStyle].join();
    })()`);
  const differ = async (chosen: string, other: string) =>
    assert.notEqual(await look(chosen), await look(other), `${chosen} looks like ${other}`);
  await goTo(page, '/events?create=yes');
  await page.getByRole('dialog').waitFor();
  await differ('.mantine-Radio-radio:checked', '.mantine-Radio-radio:not(:checked)');
  await differ(':checked + .mantine-Switch-track', ':not(:checked) + .mantine-Switch-track');
  await page.getByRole('checkbox', { name: 'All products' }).uncheck();
  await differ('.mantine-Checkbox-input:checked', '.mantine-Checkbox-input:not(:checked)');
  await turnTo(page, '/licenses/1');
  await differ('.mantine-Tabs-tab[data-active]', '.mantine-Tabs-tab:not([data-active])');
  await page.locator('.mantine-Tabs-tab[data-active]').press('Home');
  const offset = await page.evaluate('getComputedStyle(document.activeElement).outlineOffset');
  assert.notEqual(offset, '-2px', 'the focus looks like the choice');
  await differ('.mantine-Progress-section', '.mantine-Progress-root');
  await turnTo(page, '/');
  await differ('.mantine-SegmentedControl-indicator', '.mantine-SegmentedControl-control');
});
