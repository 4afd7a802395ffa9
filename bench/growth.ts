import { request } from 'node:http';
import { CONSOLE, keyOf } from './console/dataset.ts';
import { FILTERS, searchesOf } from './console/questions.ts';
import { signIn } from './console/sign-in.ts';
import { cpuMicroseconds, cpuOfEach, cpuSince, memory } from './run/cpu.ts';
import { parseOptions, wantedOf } from './run/options.ts';
import { AUTHORIZATION, openSession } from './run/session.ts';
import { median } from './run/turns.ts';

/**
 * Measures what grows with the number of licenses: lists, searches, the dashboard, and an export and an import of up to
 * a million rows. `npm run measure:growth` takes the flags of `npm run bench`; the scenarios are `dashboard`, `lists`,
 * `export` and `import`. The last line is one JSON object.
 */
const ROUNDS = 5;
const PER_PAGE = 30;
const ROWS_MAX = 1_000_000;

const options = parseOptions();
const { licenses, engine } = options;
const wanted = wantedOf(options, ['dashboard', 'lists', 'export', 'import']);
const session = await openSession(options, CONSOLE);
const client = await signIn(session);
const { service, database } = session;
const rows = Math.min(licenses, ROWS_MAX);

interface Cost {
  /** Until the whole answer has arrived. */
  ms: number;
  /** Processor time of the service, and of PostgreSQL. */
  cpu_ms: number;
  database_cpu_ms?: number;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cpu = cpuMicroseconds(service.pid);
  const pids = database.pids();
  const databaseCpu = pids && cpuOfEach(pids);
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  return {
    ms: tenths(ms),
    cpu_ms: tenths((cpuMicroseconds(service.pid) - cpu) / 1_000),
    ...(databaseCpu && { database_cpu_ms: tenths(cpuSince(databaseCpu, database.pids() ?? []) / 1_000) }),
  };
}

/** Returns the cost of the round with the median time. */
async function medianCost(work: () => Promise<unknown>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) costs.push(await costOf(work));
  const middle = median(costs.map(({ ms }) => ms));
  return costs.find(({ ms }) => ms === middle) as Cost;
}

function read(path: string, headers: Record<string, string>, enough = Number.POSITIVE_INFINITY) {
  return new Promise<string>((resolve, reject) => {
    const sent = request({ port: service.port, host: '127.0.0.1', path, headers }, (answer) => {
      let [head, lines] = ['', 0];
      answer.on('data', (bytes: Buffer) => {
        if (head.length < 2_000) head += bytes.toString('latin1');
        for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
        if (lines <= enough) return;
        resolve(head);
        answer.destroy();
      });
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(head)
          : reject(new Error(`${path}: ${answer.statusCode} ${head}`)),
      );
      answer.on('error', reject);
    });
    sent.on('error', reject).end();
  });
}

const dlm = (query: string) =>
  read(`/wp-json/dlm/v1/licenses?per_page=${PER_PAGE}&${query}`, { authorization: AUTHORIZATION });
const admin = (path: string) => read(`/console/api${path}`, client.headers);
const search = (query: string) => admin(`/licenses?per_page=${PER_PAGE}&${query}`);

const deepPage = Math.max(1, Math.floor((licenses * 0.9) / PER_PAGE));
const reads: Record<string, () => Promise<unknown>> = {
  'v1 list': () => dlm(''),
  'v1 list, page at nine tenths': () => dlm(`page=${deepPage}`),
  'v1 list, page at nine tenths, by cursor': () => dlm(`page=${deepPage}&before=${Math.ceil(licenses / 10)}`),
  'v1 list of a status': () => dlm('status=inactive'),
  'v1 list of a product': () => dlm('product_id=103'),
  'v1 list of a product and a status': () => dlm('product_id=103&status=active'),
  'v1 list of a customer': () => dlm('user_id=77'),
  'console list': () => search(''),
};
for (const sort of ['expires', 'status', 'product', 'order', 'customer'])
  reads[`console list by ${sort}`] = () => search(`sort=${sort}`);
for (const [name, filter] of Object.entries(FILTERS)) reads[`console: ${name}`] = () => search(filter);
for (const [name, text] of Object.entries(searchesOf(licenses)))
  reads[`search: ${name}`] = () => search(`search=${encodeURIComponent(text)}`);

function* csv(): Generator<string> {
  yield 'license_key,status,product_id,activations_limit\n';
  for (let i = 1; i <= rows; i++) yield `${keyOf(licenses + i)},active,103,3\n`;
}

/** Uploads a file as a browser does, but waits as long as the import takes. */
async function importRows(): Promise<void> {
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
  const body = Buffer.from([head, ...csv(), '\r\n--x--\r\n'].join(''));
  const headers = {
    ...client.headers,
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': body.length,
  };
  const options = { port: service.port, path: '/console/api/imports', method: 'POST', headers };
  const last = await new Promise<string>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
      let text = '';
      answer.on('data', (bytes: Buffer) => {
        text = (text + bytes.toString()).slice(-2_000);
      });
      answer.on('end', () => resolve(text.trimEnd().split('\n').at(-1) as string));
    });
    sent.on('error', reject).end(body);
  });
  if (JSON.parse(last).result?.imported !== rows) throw new Error(`the import answered ${last}`);
}

const report: Record<string, Cost> = {};
function note(name: string, cost: Cost): void {
  report[name] = cost;
  const { ms, cpu_ms, database_cpu_ms } = cost;
  const ofDatabase = database_cpu_ms === undefined ? '' : `${database_cpu_ms}`.padStart(10);
  console.log(`${name.padEnd(44)}${`${ms}`.padStart(10)}${`${cpu_ms}`.padStart(10)}${ofDatabase}`);
}

try {
  console.log(
    `${engine}, ${licenses.toLocaleString('en')} licenses; ms, processor ms of the service, of PostgreSQL`,
  );
  if (wanted.includes('dashboard'))
    for (const [name, path] of [
      ['dashboard', '/dashboard'],
      ['dashboard of a product', '/dashboard?product_id=103'],
    ] as const) {
      // The caches of the dashboard are still empty.
      note(`${name}, first`, await costOf(() => admin(path)));
      note(name, await medianCost(() => admin(path)));
    }
  if (wanted.includes('lists'))
    for (const [name, work] of Object.entries(reads)) {
      await work();
      note(name, await medianCost(work));
    }
  if (wanted.includes('export'))
    note(
      `export of ${rows} rows`,
      await costOf(() => read('/console/api/licenses/export', client.headers, rows)),
    );
  if (wanted.includes('import')) note(`import of ${rows} rows`, await costOf(importRows));
  const resident = memory(service.pid).most;
  const size = Math.round(await database.size());
  console.log(`resident ${resident} MiB at most; database ${size} MiB`);
  console.log(
    JSON.stringify({ engine, licenses, resident_mib: resident, database_mib: size, costs: report }),
  );
} finally {
  await session.close();
}
