import type { Locator, Page, Request } from 'playwright-core';
import { untilTrue } from '../support/console/console-page.ts';

/** The pages behind the sign-in with their English headings. */
export const PAGES: readonly { path: string; heading: string }[] = [
  { path: '/', heading: 'Dashboard' },
  { path: '/licenses', heading: 'Licenses' },
  { path: '/licenses/trash', heading: 'Trash' },
  { path: '/activations', heading: 'Activations' },
  { path: '/offline', heading: 'Offline activation' },
  { path: '/generators', heading: 'Generators' },
  { path: '/software', heading: 'Software' },
  { path: '/import', heading: 'Import' },
  { path: '/api-keys', heading: 'API keys' },
  { path: '/events', heading: 'Events' },
  { path: '/audit', heading: 'Audit trail' },
  { path: '/settings', heading: 'Settings' },
  { path: '/users', heading: 'Users' },
  { path: '/account', heading: 'Your account' },
  { path: '/nowhere', heading: 'Page not found' },
];

/** Lists with more rows than a page shows. */
const LONG = ['/licenses', '/activations', '/audit'];

/**
 * Returns the path of a page. A long list shows only its oldest rows, because axe takes a second for 50 rows; these rows are
 * as varied as all of them.
 */
export const withFewRows = (path: string): string => (LONG.includes(path) ? `${path}?before=20` : path);

/** The list of licenses with a filter that finds none: it opens faster than with 50 rows. */
export const NO_LICENSES = '/licenses?order=1';

/** The pending requests of a page. */
const underWay = new WeakMap<Page, Set<Request>>();

function requestsOf(page: Page): Set<Request> {
  const known = underWay.get(page);
  if (known) return known;
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on('request', (request) => void requests.add(request));
  page.on('requestfinished', (request) => void requests.delete(request));
  page.on('requestfailed', (request) => void requests.delete(request));
  return requests;
}

/** Opens a page of the console and waits until its data is shown. */
export async function goTo(page: Page, path: string): Promise<void> {
  requestsOf(page);
  await page.goto(`/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await loaded(page);
}

/**
 * Opens another page as a link does, which takes a third of the processor time of a page load. Falls back to a page
 * load for the first page, and for the path that is already shown.
 */
export async function turnTo(page: Page, path: string): Promise<void> {
  const { pathname } = new URL(`/console${path}`, 'http://any');
  const shown = page.url().startsWith('http') && new URL(page.url()).pathname;
  if (!shown || shown === pathname) return goTo(page, path);
  requestsOf(page);
  await follow(page, path);
  await loaded(page);
}

/** Opens another page as a link does, and waits for its heading. */
export async function follow(page: Page, path: string): Promise<void> {
  // The heading of every page sets the title. The router counts the entries of the history, to recognize Back.
  await page.evaluate(`document.title = '';
    history.pushState({ __TSR_index: (history.state?.__TSR_index ?? 0) + 1 }, '', '/console${path}')`);
  await untilTrue(page, `document.title !== ''`);
}

/** Waits until no request is pending and the data is shown. @throws Error after a minute */
export async function loaded(page: Page): Promise<void> {
  const requests = requestsOf(page);
  const end = performance.now() + 60_000;
  // Rendered data may cause more requests.
  for (let quiet = 0; quiet < 3; quiet = requests.size === 0 ? quiet + 1 : 0) {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    if (performance.now() > end)
      throw new Error(`pending: ${[...requests].map((one) => one.url()).join(', ')}`);
  }
  await untilTrue(page, `!document.querySelector('[aria-busy="true"], .mantine-Skeleton-root')`);
}

/** Presses Back, and waits until the page has blocked it. */
export async function pressBlockedBack(page: Page): Promise<void> {
  const address = page.url();
  await page.goBack();
  await page.waitForURL(address);
  await untilTrue(page, `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
}

/** Waits until the list of licenses shows this many. */
export async function showsLicenses(page: Page, count: number): Promise<void> {
  await untilTrue(page, `document.querySelectorAll('tbody tr[data-to]').length === ${count}`);
  await loaded(page);
}

/** Waits until the element has the focus. */
export const isFocused = (one: Locator): Promise<void> => one.and(one.page().locator(':focus')).waitFor();

/**
 * Presses Enter on a part of a menu or dialog that was just opened. First waits until the menu or dialog has moved the
 * focus to its first field or item: it does so a moment after it appears, and would take the focus from the part.
 */
export async function pressEnterIn(opened: Locator, part: Locator): Promise<void> {
  await opened.locator(':focus').waitFor();
  await part.press('Enter');
}

/** Holds requests back until the returned function is called. */
export async function hold(page: Page, url: string | RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Resolves when a request has been answered, or has failed. */
export const endOf = (page: Page, request: Request): Promise<void> =>
  new Promise((resolve) => {
    const check = (ended: Request) => ended === request && resolve();
    page.on('requestfailed', check).on('requestfinished', check);
  });

/** A file to choose in a form. */
export const fileOf = (name: string, mimeType: string, text: string) => ({
  name,
  mimeType,
  buffer: Buffer.from(text),
});
