import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/program.ts';
import { commandsOf, untilReady, useOverHttps } from './guide.ts';
import { startMachine } from './machine.ts';

test('the single file is installed with three commands and serves', async (t) => {
  const machine = await startMachine(t, [join(ROOT, `build/latchkey-linux-${process.arch}`)]);
  const commands = commandsOf('One file');
  const serve = commands.pop() as string;
  assert.equal(commands.length, 2);
  for (const command of commands) machine.run(command);
  machine.start(serve);
  await untilReady(machine.ask);
  const key = JSON.parse(machine.run('latchkey api-key create --description shop --json'));
  await useOverHttps(machine.ask, `${key.consumer_key}:${key.consumer_secret}`);
});
