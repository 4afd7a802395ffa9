import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { databaseEnvironment, dropDatabase, migratedFolder } from '../support/engine.ts';
import { basicHeader, newKey } from '../support/http/api.ts';
import { cleanEnvironment, runLatchkey, startProcess } from '../support/process.ts';
import { ROOT } from '../support/program.ts';

/** Sends a request without its body. */
async function halfSent(t: TestContext, origin: string, header: string, body: string) {
  const { port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(
    `POST /wp-json/dlm/v1/licenses HTTP/1.1\r\nHost: x\r\nAuthorization: ${header}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

const STOPS: [what: string, signals: NodeJS.Signals[]][] = [
  ['SIGTERM', ['SIGTERM']],
  // The system may merge two equal signals.
  ['Two signals at once, as from a terminal and from npm,', ['SIGINT', 'SIGTERM']],
];
for (const [what, signals] of STOPS) {
  test(`${what} completes the pending request, keeps its change, and exits with 0`, async (t) => {
    const dataDir = await migratedFolder();
    const api = await startProcess(t, dataDir);
    const key = newKey();
    const body = JSON.stringify({ license_key: key, valid_for: 0, status: 3, activations_limit: 1 });
    const socket = await halfSent(t, api.origin, basicHeader(api.credentials), body);
    const ended = once(api.child, 'exit');
    for (const signal of signals) api.child.kill(signal);
    while (!api.output().includes('finishing pending requests'))
      await once(api.child.stdout as never, 'data');
    socket.write(body);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 200 /);
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(
      readdirSync(dataDir).sort(),
      ['latchkey.db', 'master.key'],
      'SQLite must have removed its log',
    );

    const again = await startProcess(t, dataDir, { credentials: api.credentials });
    await again.ok('GET', `/licenses/${key}`);
  });
}

for (const workers of ['1', '2']) {
  test(`a signal while the server begins to listen stops it with 0 (workers: ${workers})`, async (t) => {
    const dataDir = await migratedFolder();
    t.after(() => dropDatabase(dataDir));
    const stopAtListen = `
    import { Server } from 'node:net';
    const { listen } = Server.prototype;
    Server.prototype.listen = function (...args) {
      process.kill(process.pid, 'SIGTERM');
      setTimeout(() => listen.apply(this, args), 300);
      return this;
    };`;
    const env = {
      ...(await databaseEnvironment(dataDir)),
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_PORT: '0',
      LATCHKEY_WORKERS: workers,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stopAtListen)}`,
    };
    const { code, stderr } = await runLatchkey(['serve'], { env });
    assert.deepEqual([code, stderr], [0, '']);
  });
}

test('SIGTERM to npm start reaches the service, which shuts down cleanly', async (t) => {
  const env = { ...cleanEnvironment(), LATCHKEY_DATA_DIR: await migratedFolder(), LATCHKEY_PORT: '0' };
  const npm = spawn('npm', ['start'], { env, cwd: ROOT });
  t.after(() => npm.kill('SIGKILL'));
  let output = '';
  npm.stdout.on('data', (data) => {
    output += data;
  });
  while (!output.includes('listening on')) await once(npm.stdout, 'data');
  npm.kill('SIGTERM');
  while (!output.includes('"stopped"')) await once(npm.stdout, 'data');
});
