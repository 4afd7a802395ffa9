import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Download, Page } from 'playwright-core';
import { closeAtTheEnd } from '../closing.ts';
import { launchBrowser } from './chromium.ts';

let browser: Promise<Browser> | undefined;

/** Starts the browser of this process. */
async function startBrowser(): Promise<Browser> {
  const started = await launchBrowser();
  closeAtTheEnd(() => started.close());
  return started;
}

/** Returns the content of a download. */
export const textOf = async (download: Download): Promise<string> =>
  readFileSync(await download.path(), 'utf8');

/** Errors that the browser logs itself: for every 4xx answer, every request that a test aborts, and every changed file. */
const NOTED =
  /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_(FAILED|UPLOAD_FILE_CHANGED))/;

/** Milliseconds to wait for a state, on a busy machine. */
const PATIENCE = 60_000;

/**
 * Opens a browser window for one test, with its own cookies. The test fails if a page of the window logs an error,
 * violates its content security policy, throws, sends a request to another host, or receives a 5xx answer.
 */
export async function openContext(
  t: TestContext,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const { context, faults } = await newContext(origin, options);
  t.after(async () => {
    await context.close();
    failFor(faults);
  });
  return context;
}

interface Kept {
  origin: string;
  page: Page;
  faults: string[];
  isInUse: boolean;
}
let kept: Kept | undefined;

/**
 * Opens an empty page in a window with default options and no cookies. It fails the test as a page of `openContext`
 * does. One window serves test after test: reusing what it has loaded and compiled halves the processor time. A test
 * that opens a second page, or changes more of a window than pages, routes, cookies and storage, needs its own window.
 */
export async function openPage(t: TestContext, origin: string): Promise<Page> {
  if (kept?.isInUse) return (await openContext(t, origin)).newPage();
  if (kept?.origin !== origin) {
    await kept?.page.context().close();
    const { context, faults } = await newContext(origin, {});
    kept = { origin, page: await context.newPage(), faults, isInUse: false };
  }
  const { page, faults } = kept;
  kept.isInUse = true;
  t.after(async () => {
    if (t.error) t.diagnostic(await shown(page));
    await empty(page);
    if (kept) kept.isInUse = false;
    failFor(faults.splice(0));
  });
  return page;
}

/** Returns the address and the text of a page, to find out why a test has failed. */
const shown = async (page: Page): Promise<string> =>
  `${page.url()} shows: ${await page.locator('body').innerText({ timeout: 5_000 }).catch(String)}`;

/** Resets a page and the storage of its window. */
async function empty(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  if (page.url().startsWith('http')) await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.goto('about:blank');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.context().clearCookies();
}

function failFor(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`the page has faults:\n${faults.join('\n')}`);
}

/** Opens a window. @returns it with the list of faults that its pages report */
async function newContext(
  origin: string,
  options: BrowserContextOptions,
): Promise<{ context: BrowserContext; faults: string[] }> {
  browser ??= startBrowser();
  const context = await (await browser).newContext({
    baseURL: origin,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const faults: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' && !NOTED.test(message.text())) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(String(error.error().stack)));
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin) faults.push(`asks another host: ${request.url()}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} from ${response.url()}`);
  });
  return { context, faults };
}
