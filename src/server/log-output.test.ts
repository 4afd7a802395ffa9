import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createLogOutput } from './log-output.ts';

const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

for (const code of ['ENOSPC', 'EPIPE', 'EIO']) {
  test(`a line that meets ${code} is dropped, without an error`, () => {
    const output = createLogOutput({ write: failing(code) as never });
    output.write('{}\n');
    output.flush();
  });
}

test('a line that is taken in parts, with a wait between, arrives whole', () => {
  let written = '';
  let turn = 0;
  const slow = (_: number, bytes: Buffer) => {
    if (turn++ % 2) return failing('EAGAIN')();
    written += String(bytes.subarray(0, 3));
    return Math.min(3, bytes.length);
  };
  const output = createLogOutput({ write: slow as never });
  output.write('{"a":1}\n');
  output.flush();
  assert.equal(written, '{"a":1}\n');
});

test('a line that got there in part is not joined by the next one', () => {
  let written = '';
  let room = 5;
  const full = (_: number, bytes: Buffer) => {
    if (room === 0) return failing('ENOSPC')();
    const taken = bytes.subarray(0, room);
    room -= taken.length;
    written += String(taken);
    return taken.length;
  };
  const output = createLogOutput({ write: full as never });
  for (const [line, freed] of [
    ['{"a":1}\n', 0],
    ['{"b":1}\n', 100],
    ['{"c":1}\n', 0],
    ['{"d":1}\n', 0],
  ] as const) {
    output.write(line);
    output.flush();
    room += freed;
  }
  assert.equal(written, '{"a":\n{"c":1}\n{"d":1}\n');
});

/** What a program leaves on standard output that has such an output of its own. */
function outputOf(program: string): string {
  const module = JSON.stringify(new URL('./log-output.ts', import.meta.url).href);
  const source = `import { createLogOutput } from ${module};\nconst output = createLogOutput();\n${program}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  return stdout;
}

/** Notes what is written in one go. */
function noted() {
  const written: string[] = [];
  const write = (_: number, bytes: Buffer) => {
    written.push(String(bytes));
    return bytes.length;
  };
  return { written, output: createLogOutput({ write: write as never }) };
}

test('lines are written together, in their order, and once', () => {
  const { written, output } = noted();
  for (const line of ['1\n', '2\n', '3\n']) output.write(line);
  assert.deepEqual(written, []);
  output.flush();
  output.flush();
  output.write('4\n');
  output.flush();
  assert.deepEqual(written, ['1\n2\n3\n', '4\n']);
});

test('many are not held in memory until it is time', () => {
  const { written, output } = noted();
  const line = `${'x'.repeat(1_000)}\n`;
  for (let i = 0; i < 200; i++) output.write(line);
  assert.ok(written.length > 0);
  output.flush();
  assert.equal(written.join(''), line.repeat(200));
});

test('they are written by themselves, without anybody asking for it', async () => {
  const written = await new Promise((resolve) => {
    const write = (_: number, bytes: Buffer) => {
      resolve(String(bytes));
      return bytes.length;
    };
    const output = createLogOutput({ write: write as never });
    output.write('1\n');
    output.write('2\n');
  });
  assert.equal(written, '1\n2\n');
});

test('none stays behind: not at the end, nor when the process ends at once, nor by a fault', () => {
  assert.equal(outputOf("output.write('1\\n')"), '1\n');
  assert.equal(outputOf("output.write('1\\n'); output.write('2\\n'); process.exit(0)"), '1\n2\n');
  const fault = "process.on('uncaughtExceptionMonitor', () => output.write('2\\n')); throw null";
  assert.equal(outputOf(`output.write('1\\n'); ${fault}`), '1\n2\n');
});

test('a reader that takes nothing is waited for once, until it takes something again', () => {
  let tries = 0;
  let takes = false;
  const write = (_: number, bytes: Buffer) => {
    tries++;
    if (!takes) failing('EAGAIN')();
    return bytes.length;
  };
  const output = createLogOutput({ write: write as never });
  const triesOf = (line: string): number => {
    tries = 0;
    output.write(line);
    output.flush();
    return tries;
  };
  assert.ok(triesOf('1\n') > 1);
  assert.equal(triesOf('2\n'), 1);
  takes = true;
  assert.equal(triesOf('3\n'), 1);
  takes = false;
  assert.ok(triesOf('4\n') > 1);
});
