import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Role } from '../../../src/domain/user.ts';
import { ROOT } from '../program.ts';
import { type Options, type Running, startService } from '../service.ts';
import { openContext, openPage } from './browser.ts';
import { signedIn } from './console.ts';
import { makeSamples, type Samples } from './sample-data.ts';

export interface RunningConsole extends Running {
  /** `http://127.0.0.1:…` */
  origin: string;
  samples: Samples;
}

/** Starts the service in this process, with a console built from the current source and sample data. */
export async function startConsole(
  t: { after(stop: () => Promise<void>): void },
  options: Options = {},
): Promise<RunningConsole> {
  buildConsole();
  const api = await startService(t, options);
  const samples = await makeSamples(api.service);
  return { ...api, samples, origin: `http://127.0.0.1:${api.port}` };
}

/** Builds the console if there is no build of the current source. */
export function buildConsole(): void {
  execFileSync(process.execPath, [join(ROOT, 'console/build.ts'), '--if-missing'], { stdio: 'pipe' });
}

/**
 * An empty page of a browser window signed in as a new user: `page.goto('/console/licenses')`. With options, the window is
 * the test's own.
 */
export async function openAs(
  t: TestContext,
  { origin, ...api }: RunningConsole,
  role: Role,
  options?: BrowserContextOptions,
): Promise<Page> {
  const { token } = await signedIn(api, role);
  const page = options ? await (await openContext(t, origin, options)).newPage() : await openPage(t, origin);
  await bearSession(page.context(), token);
  return page;
}

/** Sets the session cookie, as signing in would. */
export const bearSession = (context: BrowserContext, token: string): Promise<void> =>
  context.addCookies([
    {
      ...{ name: 'latchkey_session', value: token, domain: '127.0.0.1', path: '/console' },
      ...{ httpOnly: true, sameSite: 'Strict' },
    },
  ]);

/** A phone in portrait mode. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
};
