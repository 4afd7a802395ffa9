import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { openAs, PHONE, startConsole } from '../support/console-browser.ts';
import { shiftOf, WATCH_SHIFTS } from '../support/console-page.ts';
import { loaded } from './pages.ts';

const api = await startConsole({ after });
/** Of what a page may move by, where 0.1 counts as good: https://web.dev/articles/cls */
const MOST = 0.02;

const WINDOWS: Record<string, BrowserContextOptions> = { 'a wide window': {}, 'a phone': PHONE };
for (const [where, options] of Object.entries(WINDOWS))
  test(`lists stay where they are when their rows come late, in ${where}`, async (t) => {
    const page = await openAs(t, api, 'owner', options);
    await page.addInitScript(WATCH_SHIFTS);
    let letThrough = () => {};
    await page.route(/\/console\/api\/(?!session)/, async (route) => {
      await held;
      await route.continue();
    });
    let held = Promise.resolve();
    for (const path of [
      '/licenses',
      '/activations',
      '/generators',
      '/software',
      '/api-keys',
      '/audit',
      '/users',
    ]) {
      held = new Promise((resolve) => {
        letThrough = resolve;
      });
      await page.goto(`/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor();
      letThrough();
      await loaded(page);
      const shift = await shiftOf(page);
      assert.ok(shift < MOST, `${path} moves by ${shift}`);
    }
  });
