import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { chainEntries, REACH } from '../src/app/audit/audit-chain.ts';
import { csrfTokenOf, makeLinkToken } from '../src/app/people/session-tokens.ts';
import { SYSTEM } from '../src/domain/actor.ts';
import { goTo, loaded } from './e2e/pages.ts';
import { openContext } from './support/console/browser.ts';
import { consoleClient, signedIn } from './support/console/console.ts';
import { bearSession, PHONE, startConsole } from './support/console/console-browser.ts';
import { settled } from './support/console/console-page.ts';
import { quickHash } from './support/console/passwords.ts';
import { offlineDevice } from './support/leases/offline-device.ts';
import { ROOT } from './support/program.ts';
import { startService } from './support/service.ts';

/**
 * Takes pictures of every page of the console, with sample data, for docs/screenshots/: `npm run screenshots`. Fails if
 * a page has faults, as a test does.
 */
const api = await startConsole({ after });
const owner = await signedIn(api, 'owner', 'Mira Lindqvist');
const names = { manager: 'Tomasz Novak', support: 'Adaeze Okafor', viewer: 'Jean Moreau' } as const;
for (const [role, name] of Object.entries(names)) await signedIn(api, role as keyof typeof names, name);
const [licenseId] = (await owner.ok('GET', '/activations?limit=200')).items.map(
  ({ license_id }: { license_id: number }) => license_id,
);
const PASSWORD = 'correct horse battery';
const EMAIL = 'ines.duarte@example.test';
await withSecondFactor(EMAIL);
/** A service in which nobody can sign in yet. */
const bare = await startService({ after });
const CSV = `Serial;Order;State
OLD-7F3KQ-22HTX;9001;active
OLD-9RWPM-K4ZCD;9002;active
${api.samples.keys[0]};9003;active
OLD-Q8XNB-7DLVE;soon;active
OLD-M2CYG-W6TJA;9005;sold
`;

/** Creates a user with a second factor. */
async function withSecondFactor(email: string): Promise<void> {
  const passwordHash = await quickHash(PASSWORD);
  const user = { name: 'Ines Duarte', email, role: 'manager', passwordHash } as const;
  assert.ok((await api.service.execute('create-user', user, SYSTEM)).ok);
  const { headers } = await consoleClient(api, { 'x-csrf-token': 'any' }).post('/session', {
    email,
    password: PASSWORD,
  });
  const token = /latchkey_session=([\w-]+)/.exec(headers.getSetCookie().join())?.[1] ?? '';
  const client = consoleClient(api, {
    cookie: `latchkey_session=${token}`,
    'x-csrf-token': csrfTokenOf(token),
  });
  const { secret } = await client.ok('POST', '/account/totp');
  await client.ok('POST', '/account/totp/confirm', { code: new TOTP({ secret }).generate() });
}

/** Makes a link to set up the service, like the one that a start prints. @returns its path in the console */
async function setUpPath(): Promise<string> {
  const { token, tokenHash } = makeLinkToken();
  const made = await bare.service.execute('invite-user', { userId: 1, purpose: 'setup', tokenHash }, SYSTEM);
  assert.ok(made.ok);
  return `/setup#${token}`;
}

interface Picture {
  path: string | (() => Promise<string>);
  /** The window: one in which nobody has signed in, or one in which nobody can; by default the owner's. */
  from?: 'public' | 'bare';
  /** Acts on the page before the picture is taken. */
  act?: (page: Page) => Promise<unknown>;
}
/** Replaces the temporary data directory in the page by the one of a real installation. */
const AS_INSTALLED = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    texts.currentNode.data = texts.currentNode.data.replaceAll(${JSON.stringify(api.dataDir)}, '/var/lib/latchkey');
})()`;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

async function chooseFile(page: Page): Promise<void> {
  const file = { name: 'old-shop.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page
    .getByRole('combobox', { name: 'License field for “Serial”' })
    .selectOption({ label: 'License key' });
  await page.getByRole('combobox', { name: 'License field for “Order”' }).selectOption({ label: 'Order' });
  await page.getByRole('combobox', { name: 'License field for “State”' }).selectOption({ label: 'Status' });
}

/** An offline device in a customer's hall. */
const device = offlineDevice();
const { items: active } = await owner.ok('GET', '/licenses?status[]=3&expiry=never');
const { license_key: freeKey } = active.find(
  (one: Record<string, number>) => Number(one.times_activated) < Number(one.activations_limit),
);
async function bringRequest(page: Page): Promise<void> {
  const request = device.request(freeKey, Date.now(), { lbl: 'Press 4, hall B' });
  await page.getByLabel('Request or receipt').fill(request);
  await button(page, 'Check').click();
  await page.getByRole('heading', { name: 'Activate this device?' }).waitFor();
}

const PICTURES: Record<string, Picture> = {
  'sign-in': { path: '/sign-in', from: 'public' },
  'second-factor': {
    path: '/sign-in',
    from: 'public',
    act: async (page) => {
      await page.getByLabel('Email address').fill(EMAIL);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await button(page, 'Sign in').click();
      await page.getByRole('heading', { level: 1, name: 'Two-factor authentication' }).waitFor();
    },
  },
  'set-up': { path: setUpPath, from: 'bare' },
  dashboard: { path: '/' },
  licenses: { path: '/licenses' },
  'licenses-selected': {
    path: '/licenses?status=active',
    act: async (page) => {
      for (const nth of [1, 2, 3]) await page.getByRole('checkbox').nth(nth).check();
    },
  },
  'license-create': { path: '/licenses?create=yes' },
  license: { path: `/licenses/${licenseId}` },
  'license-history': {
    path: `/licenses/${licenseId}?tab=history`,
    act: (page) =>
      page.evaluate(`scrollTo(0, document.querySelector('[role=tablist]').getBoundingClientRect().top - 80)`),
  },
  trash: { path: '/licenses/trash' },
  activations: { path: '/activations' },
  offline: { path: '/offline' },
  'offline-review': { path: '/offline', act: bringRequest },
  'offline-lease': {
    path: '/offline',
    act: async (page) => {
      await bringRequest(page);
      await button(page, 'Activate device').click();
      await page.getByRole('img', { name: 'Lease as a QR code' }).waitFor();
    },
  },
  generators: { path: '/generators' },
  'generator-create': {
    path: '/generators',
    act: (page) => button(page, 'Create generator').click(),
  },
  'generator-generate': {
    path: '/generators',
    act: (page) => button(page, /^Generate/).click(),
  },
  software: { path: '/software' },
  'software-releases': { path: '/software/1' },
  'release-publish': {
    path: '/software/1',
    act: async (page) => {
      await button(page, 'Publish release').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  import: { path: '/import' },
  'import-columns': { path: '/import', act: chooseFile },
  'import-check': {
    path: '/import',
    act: async (page) => {
      await chooseFile(page);
      await button(page, 'Check file').click();
      await page.getByText('Nothing has been imported yet.').waitFor();
    },
  },
  'api-keys': { path: '/api-keys' },
  'api-key-create': {
    path: '/api-keys',
    act: async (page) => {
      await button(page, 'Create API key').click();
      await page.getByRole('radio', { name: 'Selected endpoints' }).check();
    },
  },
  events: { path: '/events' },
  'event-endpoint-create': { path: '/events?create=yes' },
  audit: { path: '/audit' },
  'audit-entry': {
    path: '/audit?action=release.update',
    act: async (page) => {
      await page.getByRole('row').nth(1).getByRole('button').first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  settings: {
    path: async () => {
      // The samples are in no chain yet: the page would warn of that.
      await chainEntries(api.service, REACH.most);
      return '/settings';
    },
    act: (page) => page.evaluate(AS_INSTALLED),
  },
  users: { path: '/users' },
  'user-create': { path: '/users', act: (page) => button(page, /user/i).click() },
  account: { path: '/account' },
  palette: {
    path: '/licenses',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('button', { name: 'Dashboard' }).waitFor();
    },
  },
  'not-found': { path: '/nowhere' },
};

const KINDS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { ...PHONE, colorScheme: 'light' },
};

async function take(t: TestContext, kind: string, options: BrowserContextOptions): Promise<void> {
  const folder = join(ROOT, 'docs/screenshots', kind);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const asOptions = { viewport: { width: 1280, height: 800 }, timezoneId: 'Europe/Berlin', ...options };
  const windows = {
    own: await openContext(t, api.origin, asOptions),
    public: await openContext(t, api.origin, asOptions),
    bare: await openContext(t, `http://127.0.0.1:${bare.port}`, asOptions),
  };
  await bearSession(windows.own, owner.token);
  for (const [name, { path, from = 'own', act }] of Object.entries(PICTURES))
    await t.test(`${kind}/${name}.png`, async () => {
      const page = await windows[from].newPage();
      await goTo(page, typeof path === 'string' ? path : await path());
      await act?.(page);
      await loaded(page);
      await settled(page);
      await page.screenshot({ path: join(folder, `${name}.png`), caret: 'hide' });
      await page.close();
    });
}

for (const [kind, options] of Object.entries(KINDS)) test(kind, (t) => take(t, kind, options));
