import assert from 'node:assert/strict';
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
