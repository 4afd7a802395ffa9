import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openAs, PHONE, startConsole } from '../support/console/console-browser.ts';
import {
  assertAccessible,
  assertAccessibleInBothSchemes,
  assertNoSidewaysScroll,
} from '../support/console/console-page.ts';
import { goTo, PAGES } from './pages.ts';

const api = await startConsole({ after });

/** Runs a test for each page in one window. */
const onEveryPage =
  (options: BrowserContextOptions, check: (page: Page, t: TestContext) => Promise<void>) =>
  async (t: TestContext): Promise<void> => {
    const page = await openAs(t, api, 'owner', options);
    for (const { path, heading } of PAGES)
      await t.test(path, async (t) => {
        await goTo(page, path);
        if (options.locale === undefined)
          assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), heading);
        await check(page, t);
      });
  };

test(
  'every page is accessible, in the light and the dark scheme',
  onEveryPage({}, assertAccessibleInBothSchemes),
);

test(
  'no page scrolls sideways on a phone, and each is accessible there',
  onEveryPage(PHONE, async (page) => {
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
  }),
);

test(
  'every page is in German where the browser is',
  onEveryPage({ locale: 'de-DE' }, async (page) => {
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  }),
);
