import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * What the service promises about time, measured once on a fresh directory: `npm run measure`.
 * Figures of one run on a busy machine vary; run it several times.
 */
const MAIN = fileURLToPath(new URL('../src/start.js', import.meta.url));
const LICENSES = 100_000;
const PORT = 18_080;
const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-measure-'));
const [key, secret] = [`ck_${'0123456789'.repeat(4)}`, `cs_${'0123456789'.repeat(4)}`];
const root = `http://127.0.0.1:${PORT}/wp-json/dlm/v1`;
const headers = { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
const env = {
  ...process.env,
  LATCHKEY_DATA_DIR: dataDir,
  LATCHKEY_PORT: String(PORT),
  LATCHKEY_CONSUMER_KEY: key,
  LATCHKEY_CONSUMER_SECRET: secret,
};

async function timed<T>(run: () => Promise<T>): Promise<[ms: number, value: T]> {
  const start = performance.now();
  const value = await run();
  return [performance.now() - start, value];
}

async function get(path: string): Promise<{ data: { token: string } }> {
  const response = await fetch(root + path, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json() as Promise<{ data: { token: string } }>;
}

const round = (ms: number): string => `${ms.toFixed(1)} ms`;

const server = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: 'ignore' });
try {
  const [start] = await timed(async () => {
    while (!(await get('/licenses').catch(() => null))) await setTimeout(5);
  });
  console.log(`fresh directory to first answer: ${round(start)}`);

  const file = join(dataDir, 'licenses.csv');
  const rows = Array.from({ length: LICENSES }, (_, i) => `MEASURE-${i},active,365,3,${i % 50}`);
  writeFileSync(file, `license_key,status,valid_for,activations_limit,product_id\n${rows.join('\n')}\n`);
  const [imported, [code]] = await timed(() =>
    once(spawn(process.execPath, [MAIN, 'license', 'import', file], { env, stdio: 'ignore' }), 'exit'),
  );
  console.log(`import of ${LICENSES} licenses by the command line: ${round(imported)}, exit code ${code}`);

  for (const path of ['/licenses', '/licenses?page=3000', '/licenses?status[]=3&status[]=4&page=3000']) {
    const times = [];
    for (let i = 0; i < 20; i++) times.push((await timed(() => get(path)))[0]);
    times.sort((a, b) => a - b);
    console.log(`GET ${path}: median ${round(times[10] as number)}, slowest ${round(times[19] as number)}`);
  }

  const { data } = await get('/licenses/activate/MEASURE-1');
  const other = new DatabaseSync(join(dataDir, 'latchkey.db'));
  other.exec('begin immediate');
  const held = performance.now();
  const write = timed(() => get('/licenses/activate/MEASURE-2'));
  let [slowest, count] = [0, 0];
  for (; performance.now() - held < 3_000; count++) {
    slowest = Math.max(slowest, (await timed(() => get(`/licenses/validate/${data.token}`)))[0]);
  }
  other.exec('commit');
  other.close();
  console.log(
    `write lock held for 3 s: ${count} validates, the slowest ${round(slowest)}; the write took ${round((await write)[0])}`,
  );
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(dataDir, { recursive: true, force: true });
}
