import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Credentials, makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import type { Role } from '../../../src/domain/user.ts';
import { openService, setUpService } from '../../../src/installation/service.ts';
import { closeAtTheEnd } from '../closing.ts';
import { copyData, copyMigrated, dropDatabase } from '../engine.ts';
import { sharedFolder, temporaryFolder } from '../folder.ts';
import { freePort } from '../postgres/postgres.ts';
import { ROOT } from '../program.ts';
import { engineConfig, type Options, type Running, startService } from '../service.ts';
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
  // Not a promise: after waiting for one of an earlier file, Node.js would take `t.after` for a hook of that file.
  filled ??= await fill();
  const { dataDir: from, credentials, samples } = filled;
  const dataDir = temporaryFolder();
  await copyData(from, dataDir);
  port ??= await freePort();
  const api = await startService(t, { port, ...options, dataDir, credentials });
  return { ...api, samples, origin: `http://127.0.0.1:${api.port}` };
}

/** The port of every console of this process, so that the browser keeps what it has loaded and compiled. */
let port: number | undefined;

interface Filled {
  dataDir: string;
  credentials: Credentials;
  samples: Samples;
}
let filled: Filled | undefined;

/** Creates a data directory with sample data. Each console of this process gets a copy. */
async function fill(): Promise<Filled> {
  const dataDir = sharedFolder();
  await copyMigrated(dataDir);
  closeAtTheEnd(() => dropDatabase(dataDir));
  const service = await openService(await engineConfig(dataDir));
  try {
    const credentials = makeCredentials();
    await setUpService(service, credentials, null);
    return { dataDir, credentials, samples: await makeSamples(service) };
  } finally {
    await service.close();
  }
}

let isBuilt = false;

/** Builds the console if there is no build of the current source. */
export function buildConsole(): void {
  if (isBuilt) return;
  execFileSync(process.execPath, [join(ROOT, 'console/build.ts'), '--if-missing'], { stdio: 'pipe' });
  isBuilt = true;
}

/**
 * Opens an empty page in a browser window signed in as a new user: `page.goto('/console/licenses')`. With options, the
 * window is for this test only.
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
      name: 'latchkey_session',
      value: token,
      domain: '127.0.0.1',
      path: '/console',
      httpOnly: true,
      sameSite: 'Strict',
    },
  ]);

/** A phone in portrait mode. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
};
