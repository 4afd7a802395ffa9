import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Download } from 'playwright-core';
import { temporaryFolder } from '../folder.ts';
import { connectBrowser, launchBrowser } from './chromium.ts';

/** The browser that `test/run.ts` has started for all test files. */
const { LATCHKEY_TEST_BROWSER: SERVER } = process.env;

let own: Promise<Browser> | undefined;
after(async () => (await own)?.close());

/** A connection to the browser of the run; without one, the browser of this test file. */
function openBrowser(): Promise<Browser> {
  if (SERVER) return connectBrowser(SERVER);
  own ??= launchBrowser();
  return own;
}

/** The content of a download. The browser may be on another machine: its own file is not ours to read. */
export async function textOf(download: Download): Promise<string> {
  const file = join(temporaryFolder(), 'download');
  await download.saveAs(file);
  return readFileSync(file, 'utf8');
}

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
  const browser = await openBrowser();
  const context = await browser.newContext({
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
    if (SERVER) await browser.close();
    if (faults.length > 0) throw new Error(`the page has faults:\n${faults.join('\n')}`);
  });
  return context;
}
