import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * Waits until an expression is true in a page. Playwright's own wait uses `eval` in the page, which its content security
 * policy forbids. @throws Error after `ms` milliseconds
 */
export async function untilTrue(page: Page, expression: string, ms = 60_000): Promise<void> {
  for (const end = performance.now() + ms; !(await page.evaluate(expression)); await page.waitForTimeout(10))
    if (performance.now() > end) throw new Error(`timed out after ${ms} ms at ${page.url()}: ${expression}`);
}

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Checks the page in its current state with axe.
 * @param part a selector of the part to check; by default the whole page
 */
export const assertAccessible = (page: Page, part?: string): Promise<void> =>
  assertNoViolation(page, { type: 'tag', values: TAGS }, part);

/** Rules whose result depends on the size of the window. */
const OF_SIZE = ['target-size', 'scrollable-region-focusable', 'color-contrast'];

/** Checks with axe what may differ in a window of another size than the one in which all of a part was checked. */
export const assertAccessibleInThisSize = (page: Page, part: string): Promise<void> =>
  assertNoViolation(page, { type: 'rule', values: OF_SIZE }, part);

/**
 * Checks a page with axe, and its colors in the other scheme, light or dark, as well. Leaves the page in the other
 * scheme: changing back takes time.
 */
export async function assertAccessibleInBothSchemes(page: Page, part?: string): Promise<void> {
  await assertAccessible(page, part);
  const isDark = (await page.locator('html').getAttribute(SCHEME)) === 'dark';
  await preferScheme(page, isDark ? 'light' : 'dark');
  await assertNoViolation(page, { type: 'rule', values: ['color-contrast'] }, part);
}

const SCHEME = 'data-mantine-color-scheme';

/** Changes the color scheme that the system prefers, and waits until the page follows. */
async function preferScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[${SCHEME}=${colorScheme}]`).waitFor();
  // The colors begin to change with the next frame.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

async function assertNoViolation(
  page: Page,
  runOnly: { type: string; values: string[] },
  part = 'html',
): Promise<void> {
  await settled(page);
  // Scripts evaluated by a test bypass the content security policy.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = { runOnly, resultTypes: ['violations'] };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`,
  )) as {
    violations: Violation[];
  };
  const descriptions = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes
        .slice(0, 5)
        .map(({ html, failureSummary }) => `  ${html.slice(0, 300)}\n  ${failureSummary}`)
        .join('\n')}`,
  );
  assert.ok(descriptions.length === 0, `${page.url()} is not accessible:\n${descriptions.join('\n\n')}`);
}

/** Waits for animations to end: axe must not check fading colors. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
    .map((one) => one.finished.catch(() => {})))`);
}

/** Elements that reach past the right edge of the window outside of scroll containers. */
const REACHING_OUT = `(() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const scrolls = (element) => {
    for (let up = element.parentElement; up && up !== document.body; up = up.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(up).overflowX)) return true;
    return false;
  };
  const out = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > width + 0.5 && !scrolls(element));
  return ['scrolls to ' + document.documentElement.scrollWidth + ' of ' + width,
    ...out.slice(0, 8).map((element) => element.outerHTML.slice(0, 160))];
})()`;

/** Asserts that the page does not scroll sideways. */
export async function assertNoSidewaysScroll(page: Page): Promise<void> {
  const out = (await page.evaluate(REACHING_OUT)) as string[];
  assert.ok(out.length === 0, `${page.url()} scrolls sideways:\n${out.join('\n')}`);
}

/** Asserts that lists in a wide window are shown to their right edge. */
export async function assertListsFit(page: Page): Promise<void> {
  for (const list of await page.locator('section:has(> table)').all()) {
    const [all, shown] = await list.evaluate((frame) => [frame.scrollWidth, frame.clientWidth]);
    // Both widths are rounded.
    assert.ok(Number(all) <= Number(shown) + 1, `${page.url()}: ${all} px in ${shown}`);
  }
}

/** Asserts that the focus is visible. */
export async function assertFocusVisible(page: Page): Promise<void> {
  const [shown, html] = (await page.evaluate(`(() => {
    const element = document.activeElement;
    const marked = (one) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 || boxShadow !== 'none';
    };
    // A field may show the focus by its border color.
    const isField = element.matches('input, textarea, select');
    return [element !== document.body && element.matches(':focus-visible') && (isField || marked(element)),
      element.outerHTML.slice(0, 200)];
  })()`)) as [boolean, string];
  assert.ok(shown, `nothing shows the focus: ${html}`);
}

/** An init script that sums up unexpected layout shifts for `shiftOf`. */
export const WATCH_SHIFTS = `
  window.layoutShift = 0;
  window.addShifts = (entries) => {
    for (const entry of entries) if (!entry.hadRecentInput) window.layoutShift += entry.value;
  };
  window.shifts = new PerformanceObserver((list) => addShifts(list.getEntries()));
  shifts.observe({ type: 'layout-shift', buffered: true });`;

/**
 * Returns the cumulative layout shift since the page opened, including that of the current frame. Needs the init script
 * `WATCH_SHIFTS`.
 */
export const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    addShifts(shifts.takeRecords());
    done(layoutShift);
  })))`) as Promise<number>;
