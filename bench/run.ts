import { rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuMicroseconds, memory } from './run/cpu.ts';
import { MASTER_KEY, makeDataset } from './run/dataset.ts';
import { load, type Measured } from './run/load.ts';
import { startBare, startService } from './run/processes.ts';
import { scenariosOf } from './run/scenarios.ts';

/**
 * What a request costs, beside what the runtime alone costs: `npm run bench`. The service as shipped and a bare server of
 * Node.js that answers the same bytes take turns in the same run, so that a noisy machine disturbs both. What counts is
 * the time on the processor for each request, by the operating system's account: the load generator is not in it.
 * The last line is one JSON object.
 */
const { values: flags } = parseArgs({
  options: {
    licenses: { type: 'string', default: '100000' },
    quick: { type: 'boolean', default: false },
    'database-url': { type: 'string' },
    scenarios: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'latchkey-bench') },
    fresh: { type: 'boolean', default: false },
  },
});
const licenses = Number(flags.licenses);
if (!Number.isInteger(licenses) || licenses < 1) throw new Error('--licenses must be a whole number from 1');
const url = flags['database-url'] ?? null;
const engine = url === null ? 'sqlite' : 'postgres';
const [SECONDS, TURNS, WARM] = flags.quick ? [0.5, 1, 0.25] : [1.5, 3, 0.5];
const CONNECTIONS = flags.quick ? [16] : [1, 16, 256];
const [KEY, SECRET] = [`ck_${'0123456789'.repeat(4)}`, `cs_${'0123456789'.repeat(4)}`];
const authorization = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString('base64')}`;
const folder = join(flags.folder, `${engine}-${licenses}`);
const env = {
  LATCHKEY_DATA_DIR: folder,
  LATCHKEY_MASTER_KEY: MASTER_KEY,
  LATCHKEY_CONSUMER_KEY: KEY,
  LATCHKEY_CONSUMER_SECRET: SECRET,
  ...(url !== null && { LATCHKEY_DATABASE_URL: url }),
};

if (flags.fresh) rmSync(folder, { recursive: true, force: true });
await makeDataset(folder, licenses, url, async () => {
  const service = await startService(env);
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Bench' });
  await fetch(`http://127.0.0.1:${service.port}/wp-json/dlm/v1/software`, { method: 'POST', headers, body });
  const form = new FormData();
  form.set('version', '1.0.0');
  form.set('file', new File(['bytes'], 'bench.zip'));
  const path = '/wp-json/dlm/v1/software/1/releases';
  const init = { method: 'POST', headers: { authorization }, body: form };
  await fetch(`http://127.0.0.1:${service.port}${path}`, init);
  await service.stop();
});

const service = await startService(env);
const bare = await startBare();
const all = scenariosOf(licenses, authorization);
const wanted = flags.scenarios?.split(',') ?? Object.keys(all);

interface Figures {
  rps: number;
  p50_ms: number;
  p99_ms: number;
  cpu_us: number;
  bare_cpu_us: number;
  ratio: number;
  /** Of the bare server. */
  bare_p99_ms: number;
  /** Of the load generator, for each request: more than 1,000,000 / rps could not be. */
  generator_cpu_us: number;
  failed: number;
}

interface Taken extends Measured {
  cpu: number;
  generator: number;
}

async function take(
  pid: number,
  port: number,
  connections: number,
  name: string,
  seconds: number,
): Promise<Taken> {
  const scenario = all[name];
  if (!scenario) throw new Error(`there is no scenario ${name}: ${Object.keys(all).join(', ')}`);
  const isService = port === service.port;
  const next = isService ? () => scenario.next() : everySame(name);
  const before = cpuMicroseconds(pid);
  const own = process.cpuUsage();
  const measured = await load(port, connections, seconds, next, isService ? scenario.onBody : undefined);
  const { user, system } = process.cpuUsage(own);
  return { ...measured, cpu: cpuMicroseconds(pid) - before, generator: user + system };
}

/** The bare server looks at nothing, so that it can be asked one thing. */
const samples = new Map<string, string>();
const everySame = (name: string) => () => samples.get(name) as string;

function sum(taken: readonly Taken[], part: (one: Taken) => number): number {
  return taken.reduce((total, one) => total + part(one), 0);
}
const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
const rounded = (n: number, digits = 2): number => Number(n.toFixed(digits));

async function measure(name: string, connections: number): Promise<Figures | null> {
  await take(service.pid, service.port, connections, name, WARM);
  await take(bare.pid, bare.port, connections, name, WARM);
  const [ours, theirs]: [Taken[], Taken[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    ours.push(await take(service.pid, service.port, connections, name, SECONDS));
    theirs.push(await take(bare.pid, bare.port, connections, name, SECONDS));
  }
  const requests = sum(ours, (one) => one.requests);
  if (requests === 0) return null;
  const cpu = sum(ours, (one) => one.cpu) / requests;
  const bareCpu = sum(theirs, (one) => one.cpu) / sum(theirs, (one) => one.requests);
  return {
    rps: Math.round(requests / sum(ours, (one) => one.seconds)),
    p50_ms: rounded(median(ours.map((one) => one.p50))),
    p99_ms: rounded(median(ours.map((one) => one.p99))),
    cpu_us: rounded(cpu, 1),
    bare_cpu_us: rounded(bareCpu, 1),
    ratio: rounded(cpu / bareCpu),
    bare_p99_ms: rounded(median(theirs.map((one) => one.p99))),
    generator_cpu_us: rounded(sum(ours, (one) => one.generator) / requests, 1),
    failed: sum(ours, (one) => one.failed),
  };
}

const scenarios: Record<string, Record<string, Figures>> = {};
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node.js ${process.version}`;
console.log(`${engine}, ${licenses.toLocaleString('en')} licenses; ${machine}`);
console.log('scenario     conn     rps   p50 ms   p99 ms  CPU µs  bare µs  ratio  generator µs');
try {
  for (const name of wanted) {
    // Deactivating needs what activating has made.
    const sample = all[name]?.next() ?? all.activate?.next();
    if (!sample) continue;
    samples.set(name, sample);
    await bare.imitate(service, sample);
    for (const connections of CONNECTIONS) {
      const figures = await measure(name, connections);
      if (!figures) continue;
      scenarios[name] = { ...scenarios[name], [`c${connections}`]: figures };
      const { rps, p50_ms, p99_ms, cpu_us, bare_cpu_us, ratio, generator_cpu_us, failed } = figures;
      const columns = [rps, p50_ms, p99_ms, cpu_us, bare_cpu_us, ratio, generator_cpu_us];
      const widths = [7, 8, 8, 7, 8, 6, 13];
      const cells = columns.map((value, i) => String(value).padStart(widths[i] as number));
      console.log(
        `${name.padEnd(12)} ${String(connections).padStart(4)} ${cells.join(' ')}${failed > 0 ? `  ${failed} FAILED` : ''}`,
      );
    }
  }
  const resident = memory(service.pid);
  console.log(
    `resident: ${resident.now} MiB, ${resident.most} MiB at most; started in ${Math.round(service.startedIn)} ms`,
  );
  const report = {
    engine,
    licenses,
    machine,
    start_ms: Math.round(service.startedIn),
    resident_mib: resident.most,
  };
  console.log(JSON.stringify({ ...report, scenarios }));
} finally {
  await Promise.all([service.stop(), bare.stop()]);
}
process.exit();
