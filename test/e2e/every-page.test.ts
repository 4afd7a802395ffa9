import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessibleInBothSchemes, assertListsFit } from '../support/console/console-page.ts';
import { PAGES, turnTo, withFewRows } from './pages.ts';

const api = await startConsole({ after });

test('every page is accessible, in the light and the dark scheme', async (t) => {
  const page = await openAs(t, api, 'owner');
  for (const { path, heading } of PAGES)
    await t.test(path, async () => {
      await turnTo(page, withFewRows(path));
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), heading);
      await assertAccessibleInBothSchemes(page);
    });
});

/** Pages with lists that are not in `PAGES`. */
const MORE_LISTS = ['/licenses/1', '/licenses/1?tab=history', '/software/1'];

test('every page is in German in a German browser, and no list is cut off at 1280 px', async (t) => {
  const page = await openAs(t, api, 'owner', { viewport: { width: 1280, height: 800 }, locale: 'de-DE' });
  for (const path of [...PAGES.map((one) => one.path), ...MORE_LISTS])
    await t.test(path, async () => {
      await turnTo(page, path);
      assert.equal(await page.locator('html').getAttribute('lang'), 'de');
      await assertListsFit(page);
    });
});
