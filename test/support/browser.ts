import { after, type TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { launchBrowser } from './chromium.ts';

let shared: Promise<Browser> | undefined;

/** The one browser of a test file, closed after its tests. Call it at the top of the file, or in a test. */
function browserOfFile(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}
after(async () => (await shared)?.close());

/** Every answer of 4xx is noted by the browser itself. */
const NOTED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Milliseconds that a state is waited for, on a machine that has much else to do. */
const PATIENCE = 20_000;

/**
 * A browser window of a test's own, with its own cookies. The test fails where a page of it writes an error to the console,
 * breaks its content security policy, throws, asks another host, or is answered 5xx.
 */
export async function openContext(
  t: TestContext,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const browser = await browserOfFile();
  const context = await browser.newContext({ baseURL: origin, locale: 'en-GB', ...options });
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
