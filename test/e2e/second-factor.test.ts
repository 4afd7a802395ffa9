import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { SYSTEM } from '../../src/domain/actor.ts';
import { openPage } from '../support/console/browser.ts';
import { startConsole } from '../support/console/console-browser.ts';
import { assertAccessible } from '../support/console/console-page.ts';
import { quickHash } from '../support/console/passwords.ts';
import { runSql } from '../support/engine.ts';
import { follow, pressBlockedBack } from './pages.ts';

const PASSWORD = 'correct horse battery';
const EMAIL = 'mira@example.test';
const STEP_MS = 30_000;
let now = Date.now();
const api = await startConsole({ after }, { clock: () => now });

async function showPassword(page: Page, path = 'account'): Promise<void> {
  await page.goto(`/console/${path}`);
  await page.getByLabel('Email address').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
const isOn = (page: Page, heading: string) =>
  page.getByRole('heading', { level: 1, name: heading }).waitFor();

test('two-factor authentication is turned on and required, and a recovery code works once', async (t) => {
  const passwordHash = await quickHash(PASSWORD);
  const user = { name: 'Mira', email: EMAIL, role: 'owner', passwordHash } as const;
  assert.ok((await api.service.execute('create-user', user, SYSTEM)).ok);
  const page = await openPage(t, api.origin);
  await showPassword(page, 'nowhere');
  await isOn(page, 'Page not found');
  await follow(page, '/account');
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog');
  const code = dialog.getByLabel('Code');
  await code.waitFor();
  await assertAccessible(page, '[role="dialog"]');
  const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '');
  const codeNow = () => new TOTP({ secret }).generate({ timestamp: now });
  await code.fill(codeNow());
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByText('Keep them where you can find them').waitFor();
  await assertAccessible(page, '[role="dialog"]');
  const [recovery] = /[0-9a-z]{4,}(-[0-9a-z]{4,})+/i.exec(await dialog.innerText()) ?? [];
  assert.ok(recovery, 'no recovery code is shown');
  await pressBlockedBack(page);
  await dialog.getByText(recovery).waitFor();

  const phone = await openPage(t, api.origin);
  await showPassword(phone);
  await isOn(phone, 'Two-factor authentication');
  await assertAccessible(phone);
  await phone.getByLabel('Code').fill('000000');
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await phone.getByText('This code is wrong or has already been used.').waitFor();
  // The previous code no longer works.
  now += STEP_MS;
  await phone.getByLabel('Code').fill(codeNow());
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await isOn(phone, 'Your account');

  // Codes that were wrong in another window count, too.
  const guesser = await openPage(t, api.origin);
  await showPassword(guesser);
  await isOn(guesser, 'Two-factor authentication');
  await runSql(api.dataDir, 'update sessions set failures = 10 where pending = 1');
  for (const isFirst of [true, false]) {
    const other = await openPage(t, api.origin);
    await showPassword(other);
    await other.getByLabel('Code').fill('000000');
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByText('Too many wrong codes. Wait five minutes, or use a recovery code.').waitFor();
    await other.getByRole('button', { name: 'Use a recovery code' }).click();
    await other.getByLabel('Recovery code').fill(recovery);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    if (isFirst) await isOn(other, 'Your account');
    else await other.getByText('This code is wrong or has already been used.').waitFor();
  }
});
