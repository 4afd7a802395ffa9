import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Download } from 'playwright-core';
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

/** Every answer of 4xx is noted by the browser itself. */
const NOTED = /^Failed to load resource: the server responded with a status of 4\d\d/;

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
  t.after(async () => {
    await context.close();
    if (faults.length > 0) throw new Error(`the page has faults:\n${faults.join('\n')}`);
  });
  return context;
}
