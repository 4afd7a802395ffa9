import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { databaseEnvironment, ENGINE, numberOf } from '../../support/engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { cleanEnvironment } from '../../support/process.ts';
import { START } from '../../support/program.ts';
import { type Cli, createCli, shell } from '../cli.ts';

const countOf = (cli: Cli, table: string): Promise<number> =>
  numberOf(cli.dataDir, `select count(*) from ${table}`);
const counts = async (cli: Cli) => ({
  licenses: await countOf(cli, 'licenses'),
  staged: await countOf(cli, 'staged_licenses'),
});

async function start(t: TestContext, cli: Cli, args: string[]): Promise<ChildProcess & { told(): string }> {
  const child = spawn(process.execPath, [START, ...args], {
    env: {
      ...cleanEnvironment(),
      LATCHKEY_DATA_DIR: cli.dataDir,
      ...(await databaseEnvironment(cli.dataDir)),
    },
  });
  t.after(() => child.kill('SIGKILL'));
  let told = '';
  child.stderr.on('data', (data) => {
    told += data;
  });
  return Object.assign(child, { told: () => told });
}

/** Sends signals as soon as the first licenses are staged, and returns the exit code. */
async function interrupt(child: ChildProcess, cli: Cli, ...signals: NodeJS.Signals[]): Promise<unknown> {
  const ended = once(child, 'exit');
  while ((await countOf(cli, 'staged_licenses')) === 0 && child.exitCode === null) await setTimeout(5);
  for (const signal of signals) child.kill(signal);
  return (await ended)[0];
}

test('an interrupted import leaves nothing behind, even if its input never ends', async (t) => {
  const cli = createCli();
  await cli.ok(['migrate']);
  for (const [codes, ...signals] of [
    [[143], 'SIGTERM'],
    // As from a terminal and from npm, in any order. The system may merge two equal signals.
    [[130, 143], 'SIGINT', 'SIGTERM'],
  ] as const) {
    const child = await start(t, cli, ['license', 'import', '-']);
    child.stdin?.write(`license_key\n${Array.from({ length: 3000 }, (_, i) => `KEY-${i}`).join('\n')}\n`);
    const code = await interrupt(child, cli, ...signals);
    assert.ok(
      codes.some((one) => one === code),
      String(code),
    );
    assert.equal(child.told(), 'error: Interrupted: nothing was imported.\n');
    assert.deepEqual(await counts(cli), { licenses: 0, staged: 0 });
  }
});

test('an interrupted generation leaves nothing behind', async (t) => {
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
  const child = await start(t, cli, ['generator', 'generate', '1', '--amount', '100000', '--save', '--json']);
  assert.equal(await interrupt(child, cli, 'SIGINT'), 130);
  assert.deepEqual(JSON.parse(child.told()), {
    error: { code: 'interrupted', message: 'Interrupted: no key was made.' },
  });
  assert.deepEqual(await counts(cli), { licenses: 0, staged: 0 });
});

// A pipe is read before anything reaches the database.
suite('a named pipe', { skip: process.platform === 'win32' || ENGINE === 'postgres' }, () => {
  const newPipe = (): string => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    return path;
  };
  const publish = ['release', 'publish', '--software', 'acme', '--version', '1.0'];

  test('is refused as a release file without waiting for a writer', async () => {
    const cli = createCli();
    await cli.ok(['software', 'create', '--name', 'Acme']);
    assert.match(
      await cli.fails(1, [...publish, newPipe()]),
      /pipe is not a regular file\. Copy its content/,
    );
  });
  test('to which nothing is written can be interrupted', async (t) => {
    const cli = createCli();
    await cli.ok(['migrate']);
    for (const args of [
      ['license', 'import'],
      [...publish, '--draft', '--changelog'],
    ]) {
      const pipe = newPipe();
      const child = await start(t, cli, [...args, pipe]);
      const ended = once(child, 'exit');
      const writer = await writerOf(pipe);
      child.kill('SIGINT');
      assert.equal((await ended)[0], 130);
      assert.match(child.told(), /^error: Interrupted: nothing was/);
      closeSync(writer);
    }
  });
  test('is read to its end for a changelog and for an import', async () => {
    const cli = createCli();
    await cli.ok(['software', 'create', '--name', 'Acme']);
    const line = `latchkey ${publish.join(' ')} --draft --changelog <(echo "- one"; sleep 0.1; echo "- two") --json`;
    const published = await shell(cli.dataDir, line);
    assert.equal(JSON.parse(published.stdout).changelog, '- one\n- two\n');
    const imported = await shell(cli.dataDir, 'latchkey license import <(echo license_key; echo ONE) --json');
    assert.deepEqual([imported.code, imported.stderr], [0, '']);
    assert.equal(await countOf(cli, 'licenses'), 1);
  });
});

/** Opens the pipe for writing as soon as a reader has it open: until then the system refuses. */
async function writerOf(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await setTimeout(5);
    }
  }
}
