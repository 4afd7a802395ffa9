import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../src/installation/engines.ts';
import { ENVIRONMENT, PROGRAM } from '../test/support/program.ts';
import { ask } from './run/connection.ts';
import { startService } from './run/processes.ts';
import { get } from './run/scenarios.ts';
import { CREDENTIALS } from './run/session.ts';
import { median } from './run/turns.ts';

/**
 * Measures once, on a fresh directory, what the service promises about time: `npm run measure`. Figures of one run on a
 * busy machine vary; run it several times.
 */
const LICENSES = 100_000;
const folder = mkdtempSync(join(tmpdir(), 'latchkey-measure-'));
const settings = { LATCHKEY_DATA_DIR: join(folder, 'data'), ...CREDENTIALS };

async function timed<T>(run: () => Promise<T>): Promise<[ms: number, value: T]> {
  const start = performance.now();
  const value = await run();
  return [performance.now() - start, value];
}

/** Returns the whole answer. */
async function read(path: string): Promise<string> {
  const { status, text } = await ask(service.port, get(path));
  if (status !== 200) throw new Error(`${path}: ${text}`);
  return text;
}

const ms = (time: number): string => `${time.toFixed(1)} ms`;

const service = await startService(settings, join(folder, 'log'));
try {
  const [first] = await timed(() => read('/licenses'));
  console.log(`fresh directory to first answer: ${ms(service.startedIn + first)}`);

  const file = join(folder, 'licenses.csv');
  const rows = Array.from({ length: LICENSES }, (_, i) => `MEASURE-${i},active,365,3,${i % 50}`);
  writeFileSync(file, `license_key,status,valid_for,activations_limit,product_id\n${rows.join('\n')}\n`);
  const [imported, [code]] = await timed(() => {
    const env = { ...process.env, ...ENVIRONMENT, ...settings };
    const args = [...PROGRAM, 'license', 'import', file];
    return once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit');
  });
  console.log(`import of ${LICENSES} licenses by the command line: ${ms(imported)}, exit code ${code}`);

  for (const path of ['/licenses', '/licenses?page=3000', '/licenses?status[]=3&status[]=4&page=3000']) {
    const times = [];
    for (let i = 0; i < 20; i++) times.push((await timed(() => read(path)))[0]);
    console.log(`GET ${path}: median ${ms(median(times))}, slowest ${ms(Math.max(...times))}`);
  }

  const token = /"token":"(\w+)"/.exec(await read('/licenses/activate/MEASURE-1'))?.[1];
  const other = new DatabaseSync(databaseFile(settings.LATCHKEY_DATA_DIR));
  other.exec('begin immediate');
  const held = performance.now();
  const write = timed(() => read('/licenses/activate/MEASURE-2'));
  let [slowest, count] = [0, 0];
  for (; performance.now() - held < 3_000; count++) {
    slowest = Math.max(slowest, (await timed(() => read(`/licenses/validate/${token}`)))[0]);
  }
  other.exec('commit');
  other.close();
  console.log(
    `write lock held for 3 s: ${count} validates, the slowest ${ms(slowest)}; the write took ${ms((await write)[0])}`,
  );
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
