import { type Browser, chromium } from 'playwright-core';
import { findProgram, installPackage, isProgram } from '../debian.ts';

/** Program names of Chromium and its relatives, in order of preference. */
const NAMES = [
  // It draws no windows, which takes a third less processor time.
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

function findInstalled(): string | undefined {
  const installed = NAMES.map((name) => findProgram(name, FOLDERS)).find(Boolean);
  return installed ?? MAC_FILES.find(isProgram);
}

/**
 * Returns the installed browser, or installs Debian's package if that is allowed. @throws Error that says what to
 * install
 */
function findChromium(): string {
  const named = process.env.LATCHKEY_TEST_CHROMIUM;
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`LATCHKEY_TEST_CHROMIUM is not a program: ${named}`);
  }
  const installed = findInstalled();
  if (installed) return installed;
  installPackage('chromium-headless-shell', 'chromium-headless-shell', MISSING);
  const found = findInstalled();
  if (!found) throw new Error(MISSING);
  return found;
}

// Playwright disables the sandbox by default: it needs privileges that root and many containers lack. Only our own
// pages are opened.
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

/** Starts a browser with a temporary profile. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: FLAGS });
