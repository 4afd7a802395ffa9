import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { isRoot } from './unprivileged.ts';

/** What Chromium and its relatives are called, in the order that they are taken. */
const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'microsoft-edge-stable',
  'msedge',
];
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/snap/bin', '/opt/google/chrome', '/opt/microsoft/msedge'];
const MAC_FILES = ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const MISSING = `The tests of the console need Chromium. Install it (Debian: apt-get install chromium; elsewhere: Chromium,
Google Chrome or Microsoft Edge), or name the program in LATCHKEY_TEST_CHROMIUM.`;

/** One at a time: several test files may begin at once. */
const INSTALL = `
  command -v chromium || {
    echo "Chromium is not installed: installing Debian's package" >&2
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium
  }`;

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findInstalled(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FOLDERS];
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...files, ...MAC_FILES].find(isProgram);
}

/** The system's, or else Debian's package, installed where that is allowed. @throws Error that says what to install */
function findChromium(): string {
  const named = process.env.LATCHKEY_TEST_CHROMIUM;
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`LATCHKEY_TEST_CHROMIUM names no program: ${named}`);
  }
  const installed = findInstalled();
  if (installed) return installed;
  if (!isRoot || process.platform !== 'linux') throw new Error(MISSING);
  try {
    const lock = join(tmpdir(), 'latchkey-apt.lock');
    execFileSync('flock', [lock, 'sh', '-c', INSTALL], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    throw new Error(MISSING, { cause: error });
  }
  const found = findInstalled();
  if (!found) throw new Error(MISSING);
  return found;
}

// The sandbox, which Playwright leaves out by itself, needs what root and many containers lack. Only our own pages are opened.
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser, with a profile of its own that is gone when it ends. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: FLAGS });

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
