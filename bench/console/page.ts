import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { untilTrue } from '../../test/support/console/console-page.ts';

/** Records times inside the page, so that they exclude the way from and to the measuring process. */
const NOTES = `
  window.noted = { input: 0, rows: 0, typed: 0, longest: 0 };
  for (const type of ['keydown', 'pointerdown'])
    addEventListener(type, (event) => { noted.input = event.timeStamp; }, true);
  addEventListener('input', () => requestAnimationFrame(() => { noted.typed = performance.now(); }), true);
  const look = () => {
    const table = document.querySelector('table');
    if (table && table.getAttribute('aria-busy') !== 'true' && table.querySelector('tbody tr:not([aria-hidden])'))
      requestAnimationFrame(() => { noted.rows = performance.now(); });
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) noted.longest = Math.max(noted.longest, duration);
  }).observe({ type: 'longtask', buffered: true });`;

/** Times in milliseconds. All but `longest` count from the start of the navigation. */
interface Noted {
  /** When the user last pressed a key or a mouse button. */
  input: number;
  /** When changed rows of a table last appeared. */
  rows: number;
  /** When typed text last appeared. */
  typed: number;
  /** How long the longest task blocked the page. */
  longest: number;
}

export const noted = (page: Page): Promise<Noted> => page.evaluate('window.noted') as Promise<Noted>;

/** Opens a browser window, with a token as an owner who has signed in. */
export async function openWindow(
  browser: Browser,
  origin: string,
  token: string | null,
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 800 } });
  if (token !== null) {
    const cookie = { name: 'latchkey_session', value: token, domain: '127.0.0.1', path: '/console' };
    await context.addCookies([{ ...cookie, httpOnly: true, sameSite: 'Strict' }]);
  }
  await context.addInitScript(NOTES);
  return context;
}

/** What a page transferred, by kind. */
export interface Transferred {
  requests: number;
  /** Compressed size, with headers. */
  bytes: Record<string, number>;
}

/** Counts what a page loads from now on. */
export async function countTransfers(page: Page): Promise<Transferred> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const transferred: Transferred = { requests: 0, bytes: {} };
  const kinds = new Map<string, string>();
  session.on('Network.responseReceived', ({ requestId, type }) => void kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'Other';
    transferred.requests++;
    transferred.bytes[kind] = (transferred.bytes[kind] ?? 0) + encodedDataLength;
  });
  await session.send('Network.enable');
  return transferred;
}

/** Opens a page with a list, and types a key into its search field. */
export async function openList(
  page: Page,
  path: string,
): Promise<{ rows: number; key: number; longest: number }> {
  await page.goto(path);
  await untilTrue(page, 'noted.rows > 0');
  const { rows } = await noted(page);
  await page.locator('[data-page-search]').press('q');
  await untilTrue(page, 'noted.typed > 0');
  const { input, typed, longest } = await noted(page);
  return { rows, key: typed - input, longest };
}

/**
 * Returns the milliseconds from the last key or click of `act` until the table shows the result.
 * @param shown an expression that is true once the document shows the result
 */
export async function timeOf(page: Page, act: () => Promise<unknown>, shown: string): Promise<number> {
  await act();
  await untilTrue(
    page,
    `document.querySelector('table')?.getAttribute('aria-busy') !== 'true' && (${shown})
    && noted.rows > noted.input`,
  );
  const { input, rows } = await noted(page);
  return rows - input;
}
