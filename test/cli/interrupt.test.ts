import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { MAIN } from '../support/process.ts';
import { type Cli, createCli } from './cli.ts';

const counts = (cli: Cli) =>
  cli.database((db) =>
    db
      .prepare(
        'select (select count(*) from licenses) as licenses, (select count(*) from staged_licenses) as staged',
      )
      .get(),
  );

function start(t: TestContext, cli: Cli, args: string[]): ChildProcess & { told(): string } {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, LATCHKEY_DATA_DIR: cli.dataDir },
  });
  t.after(() => child.kill('SIGKILL'));
  let told = '';
  child.stderr.on('data', (data) => {
    told += data;
  });
  return Object.assign(child, { told: () => told });
}

/** Sends a signal as soon as the first licenses are put aside: the exit code. */
async function interrupt(child: ChildProcess, cli: Cli, signal: NodeJS.Signals): Promise<unknown> {
  const ended = once(child, 'exit');
  while (!counts(cli)?.staged && child.exitCode === null) await setTimeout(5);
  child.kill(signal);
  return (await ended)[0];
}

test('an import that is interrupted leaves nothing behind, though its input never ends', async (t) => {
  const cli = createCli();
  await cli.ok(['migrate']);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const child = start(t, cli, ['license', 'import', '-']);
    child.stdin?.write(`license_key\n${Array.from({ length: 3000 }, (_, i) => `KEY-${i}`).join('\n')}\n`);
    assert.equal(await interrupt(child, cli, signal), code);
    assert.equal(child.told(), 'error: Interrupted: nothing was imported.\n');
    assert.deepEqual({ ...counts(cli) }, { licenses: 0, staged: 0 });
  }
});

test('a generation that is interrupted leaves nothing behind', async (t) => {
  const cli = createCli();
  await cli.ok([
    'generator',
    'create',
    '--name',
    'G',
    '--charset',
    'ABCDEF',
    '--chunks',
    '4',
    '--chunk-length',
    '9',
  ]);
  const child = start(t, cli, ['generator', 'generate', '1', '--amount', '100000', '--save', '--json']);
  assert.equal(await interrupt(child, cli, 'SIGINT'), 130);
  assert.deepEqual(JSON.parse(child.told()), {
    error: { code: 'interrupted', message: 'Interrupted: no key was made.' },
  });
  assert.deepEqual({ ...counts(cli) }, { licenses: 0, staged: 0 });
});
