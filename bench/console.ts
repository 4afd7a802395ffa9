import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/console/chromium.ts';
import { untilTrue } from '../test/support/console/console-page.ts';
import { CONSOLE } from './console/dataset.ts';
import { countTransfers, noted, openList, openWindow, type Transferred, timeOf } from './console/page.ts';
import { FILTERS, searchesOf } from './console/questions.ts';
import { signIn } from './console/sign-in.ts';
import { openSession } from './run/session.ts';
import { median } from './run/turns.ts';

/**
 * `npm run measure:console` measures how long the console takes in a browser with many licenses, and how much it
 * transfers. The browser and the service share the machine. The last line is one JSON object.
 */
const { values } = parseArgs({
  options: {
    licenses: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    folder: { type: 'string', default: join(tmpdir(), 'latchkey-bench') },
  },
});
const licenses = Number(values.licenses);
const rounds = Number(values.rounds);
if (!(licenses >= 1_000)) throw new Error('--licenses must be at least 1000');

const session = await openSession(
  { licenses, engine: 'sqlite', url: null, folder: resolve(values.folder), fresh: false, events: false },
  CONSOLE,
);
const { token } = await signIn(session);
const origin = `http://127.0.0.1:${session.service.port}`;
const browser = await launchBrowser();

const ms = (time: number): number => Math.round(time);
const medianOf = (times: number[]): number => ms(median(times));

async function firstLoad(
  browser: Browser,
  path: string,
  token: string | null,
  shown: string,
): Promise<Transferred> {
  const context = await openWindow(browser, origin, token);
  const page = await context.newPage();
  const transferred = await countTransfers(page);
  await page.goto(path);
  await page.locator(shown).first().waitFor();
  await page.waitForLoadState('networkidle');
  await context.close();
  return transferred;
}

/** Opens the list of licenses with a cold cache, and then in another tab with a warm one. */
async function timesToInteractive() {
  const loads: Record<'cold' | 'warm', Awaited<ReturnType<typeof openList>>[]> = { cold: [], warm: [] };
  for (let round = 0; round < rounds; round++) {
    const context = await openWindow(browser, origin, token);
    for (const kind of ['cold', 'warm'] as const) {
      const page = await context.newPage();
      loads[kind].push(await openList(page, '/console/licenses'));
      await page.close();
    }
    await context.close();
  }
  const figures = (of: (typeof loads)['cold']) => ({
    rows_ms: medianOf(of.map(({ rows }) => rows)),
    key_ms: medianOf(of.map(({ key }) => key)),
    interactive_ms: medianOf(of.map(({ rows, key }) => rows + key)),
    slowest_ms: ms(Math.max(...of.map(({ rows, key }) => rows + key))),
    longest_task_ms: medianOf(of.map(({ longest }) => longest)),
  });
  return { cold: figures(loads.cold), warm: figures(loads.warm) };
}

async function timesOfSearches(): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  const context = await openWindow(browser, origin, token);
  const page = await context.newPage();
  const field = page.locator('[data-page-search]');
  const firstRow = `document.querySelector('tbody tr[data-to]')?.dataset.to`;
  await shownAt(page, '/console/licenses');
  const older = page.getByRole('button', { name: 'Older' });
  const pages: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await page.evaluate(firstRow);
    const changed = `${firstRow} !== ${JSON.stringify(before)}`;
    pages.push(await timeOf(page, () => older.click(), changed));
  }
  times['next page'] = medianOf(pages);
  for (const [name, typed] of Object.entries(searchesOf(licenses))) {
    const of: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await page.goto('/console/licenses');
      await untilTrue(page, 'noted.rows > 0');
      await field.fill(typed.slice(0, -1));
      const searched = `new URLSearchParams(location.search).get('search') === ${JSON.stringify(typed)}`;
      of.push(await timeOf(page, () => field.press(typed.slice(-1)), searched));
    }
    times[name] = medianOf(of);
  }
  for (const [name, query] of Object.entries(FILTERS)) {
    const of: number[] = [];
    for (let round = 0; round < rounds; round++)
      of.push((await shownAt(page, `/console/licenses?${query}`)).rows);
    times[`page with ${name}`] = medianOf(of);
  }
  await context.close();
  return times;
}

async function shownAt(page: Page, path: string) {
  await page.goto(path);
  await untilTrue(page, 'noted.rows > 0');
  return noted(page);
}

/** Returns the time from the start of the navigation until the dashboard has its data and shows a chart. */
async function timeOfDashboard(): Promise<number> {
  const times: number[] = [];
  const context = await openWindow(browser, origin, token);
  for (let round = 0; round < rounds; round++) {
    const page = await context.newPage();
    const answered = page.waitForResponse(/\/console\/api\/dashboard/);
    await page.goto('/console/');
    await (await answered).finished();
    await page.locator('main svg.recharts-surface').first().waitFor();
    times.push((await page.evaluate('performance.now()')) as number);
    await page.close();
  }
  await context.close();
  return medianOf(times);
}

const kib = (bytes: number): number => Math.round(bytes / 102.4) / 10;
const sizes = ({ requests, bytes }: Transferred) => ({
  requests,
  total_kib: kib(Object.values(bytes).reduce((sum, one) => sum + one, 0)),
  by_kind_kib: Object.fromEntries(Object.entries(bytes).map(([kind, size]) => [kind, kib(size)])),
});

try {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node.js ${process.version}, Chromium ${browser.version()}`;
  console.log(`${licenses.toLocaleString('en')} licenses; ${machine}`);
  const first = {
    sign_in: sizes(await firstLoad(browser, '/console/sign-in', null, 'h1')),
    licenses: sizes(await firstLoad(browser, '/console/licenses', token, 'tbody tr[data-to]')),
  };
  for (const [page, { requests, total_kib, by_kind_kib }] of Object.entries(first))
    console.log(
      `first load of ${page}: ${requests} requests, ${total_kib} KiB: ${JSON.stringify(by_kind_kib)}`,
    );
  const list = await timesToInteractive();
  for (const [cache, { rows_ms, key_ms, interactive_ms, slowest_ms, longest_task_ms }] of Object.entries(
    list,
  ))
    console.log(
      `list of licenses, ${cache} cache: interactive after ${interactive_ms} ms (rows ${rows_ms}, then a key ${key_ms}; ` +
        `slowest ${slowest_ms}); longest task ${longest_task_ms} ms`,
    );
  const searches = await timesOfSearches();
  for (const [name, time] of Object.entries(searches)) console.log(`${name}: ${time} ms`);
  const dashboard = await timeOfDashboard();
  console.log(`dashboard: ${dashboard} ms`);
  console.log(JSON.stringify({ licenses, machine, first, list, searches, dashboard }));
} finally {
  await browser.close();
  await session.close();
}
