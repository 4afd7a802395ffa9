import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { isRoot } from '../faults/unprivileged.ts';

/** What Chromium and its relatives are called, in the order that they are taken. */
const NAMES = [
  // Without windows: a third less processor time.
  'chromium-headless-shell',
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
const MISSING = `The tests of the console need Chromium. Install it (Debian: apt-get install chromium-headless-shell; elsewhere: Chromium,
Google Chrome or Microsoft Edge), or name the program in LATCHKEY_TEST_CHROMIUM.`;

/** One at a time: several test files may begin at once. */
const INSTALL = `
  command -v chromium-headless-shell || {
    echo "Chromium is not installed: installing Debian's package chromium-headless-shell" >&2
    # A source that is away may not be the one that has it.
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium-headless-shell
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
  // No page lives long enough to benefit from optimized code.
  '--js-flags=--no-opt --no-maglev',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser, with a profile of its own that is gone when it ends. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: FLAGS });
