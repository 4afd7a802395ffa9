import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAs, startConsole } from '../support/console/console-browser.ts';
import { assertAccessibleInBothSchemes, assertListsFit } from '../support/console/console-page.ts';
import { PAGES, turnTo, withFewRows } from './pages.ts';

const api = await startConsole({ after });

/** Pages with lists that are not in `PAGES`. Other tests check whether they are accessible. */
const MORE_LISTS = ['/licenses/1', '/licenses/1?tab=history', '/software/1'];

// German texts are longer. `roles.test.ts` and `phone.test.ts` open every page in English.
test('every page is in German in a German browser, no list is cut off at 1280 px, and all are accessible in both schemes', async (t) => {
  const page = await openAs(t, api, 'owner', { viewport: { width: 1280, height: 800 }, locale: 'de-DE' });
  for (const path of [...PAGES.map((one) => one.path), ...MORE_LISTS])
    await t.test(path, async () => {
      await turnTo(page, withFewRows(path));
      assert.equal(await page.locator('html').getAttribute('lang'), 'de');
      await assertListsFit(page);
      if (!MORE_LISTS.includes(path)) await assertAccessibleInBothSchemes(page);
    });
});
