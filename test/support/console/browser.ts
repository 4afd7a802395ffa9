import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Download, Page } from 'playwright-core';
import { closeAtTheEnd } from '../closing.ts';
import { launchBrowser } from './chromium.ts';

let browser: Promise<Browser> | undefined;

/** The browser of this process. */
async function startBrowser(): Promise<Browser> {
  const started = await launchBrowser();
  closeAtTheEnd(() => started.close());
  return started;
}

/** The content of a download. */
export const textOf = async (download: Download): Promise<string> =>
  readFileSync(await download.path(), 'utf8');

/** The browser itself notes every answer of 4xx, and every request that a test aborts. */
const NOTED = /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_FAILED)/;

/** Milliseconds that a state is waited for, on a machine that has much else to do. */
const PATIENCE = 60_000;

/**
 * A browser window of a test's own, with its own cookies. The test fails where a page of it writes an error to the console,
 * breaks its content security policy, throws, asks another host, or is answered 5xx.
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
 * An empty page in a window with default options and no cookies, which fails the test as that of `openContext` does. One
 * window serves test after test: what it has loaded and compiled before costs half the processor time. A test that asks for
 * a second page, or changes more of a window than pages, routes, cookies and storage, has a window of its own.
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
    await empty(page);
    if (kept) kept.isInUse = false;
    failFor(faults.splice(0));
  });
  return page;
}

/** Makes a page, and what its window remembers, as new. */
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

/** A window, and the faults of its pages so far. */
async function newContext(
  origin: string,
  options: BrowserContextOptions,
): Promise<{ context: BrowserContext; faults: string[] }> {
  browser ??= startBrowser();
  const context = await (await browser).newContext({
    baseURL: origin,
    locale: 'en-GB',
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
