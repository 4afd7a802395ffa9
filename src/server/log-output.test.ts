import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

/** The command of a program that has a log output of its own. */
function commandOf(program: string): string[] {
  const module = JSON.stringify(new URL('./log-output.ts', import.meta.url).href);
  const source = `import { createLogOutput } from ${module};\nconst output = createLogOutput();\n${program}`;
  return [process.execPath, '--input-type=module', '-e', source];
}

function start(t: TestContext, program: string, stdout: 'pipe' | number = 'pipe'): ChildProcess {
  const [node = '', ...args] = commandOf(program);
  const child = spawn(node, args, { stdio: ['pipe', stdout, 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function outputOf(t: TestContext, program: string): Promise<string> {
  const { stdout } = start(t, program);
  assert.ok(stdout);
  return text(stdout);
}

const LINES =
  "for (let i = 0; i < 10_000; i++) output.write(JSON.stringify({ x: 'x'.repeat(500) }) + '\\n');";

test('lines are written by themselves, without anybody asking for it', async (t) => {
  const { stdout } = start(t, "output.write('1\\n'); setInterval(() => {}, 1_000)");
  assert.ok(stdout);
  assert.equal(String((await once(stdout, 'data'))[0]), '1\n');
});

test('no line stays behind: not at the end, nor when the process ends at once, nor by a fault', async (t) => {
  assert.equal(await outputOf(t, "output.write('1\\n')"), '1\n');
  assert.equal(await outputOf(t, "output.write('1\\n'); output.write('2\\n'); process.exit(0)"), '1\n2\n');
  const fault = "process.on('uncaughtExceptionMonitor', () => output.write('2\\n')); throw null";
  assert.equal(await outputOf(t, `output.write('1\\n'); ${fault}`), '1\n2\n');
});

test('a reader that takes nothing holds up nothing, and gets whole lines when it reads again', async (t) => {
  // Each time the program gets through its work, it writes a line to standard error.
  const child = start(t, `const go = () => { ${LINES} console.error('went on'); setTimeout(go, 50) }; go()`);
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  for (let i = 0; i < 5; i++) await once(stderr, 'data');
  child.stderr?.resume();
  let read = '';
  stdout.on('data', (bytes) => {
    read += bytes;
  });
  while (read.length < 3 * 1024 ** 2) await setTimeout(10);
  const lines = read.split('\n').slice(0, -1);
  for (const line of lines) assert.equal(JSON.parse(line).x.length, 500);
});

test('a program whose log nobody reads can end', async (t) => {
  for (const end of ['', 'process.exit(0)']) {
    const child = start(t, `${LINES} ${end}`);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }
});

test('a reader that is gone, and a disk that is full, end nothing', async (t) => {
  const program = `process.stdin.once('data', () => { ${LINES} setTimeout(() => process.exit(7), 300) })`;
  const gone = start(t, program);
  gone.stdout?.destroy();
  gone.stdin?.write('go');
  assert.deepEqual(await once(gone, 'exit'), [7, null]);
  if (!existsSync('/dev/full')) return;
  const full = start(t, `${LINES} setTimeout(() => process.exit(7), 300)`, openSync('/dev/full', 'w'));
  assert.deepEqual(await once(full, 'exit'), [7, null]);
});

test('lines of several processes on one pipe do not mix', async (t) => {
  const program = `let i = 0; const line = JSON.stringify({ x: String(process.pid).repeat(80) });
    const go = () => { for (let j = 0; j < 50; j++) output.write(line + '\\n'); if (++i < 40) setTimeout(go, 2) }; go()`;
  const [node = '', ...args] = commandOf(program);
  // The shell makes a pipe; standard output of a child process is a socket.
  const both = spawn('sh', ['-c', '("$@" & "$@" & wait) | cat', 'sh', node, ...args]);
  t.after(() => both.kill('SIGKILL'));
  const lines = (await text(both.stdout)).trim().split('\n');
  assert.equal(lines.length, 2 * 40 * 50);
  for (const one of lines) assert.match(JSON.parse(one).x, /^(\d+)\1*$/);
});
