import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '../../tools/build-deb.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/program.ts';
import { commandsOf, untilReady, useOverHttps } from './guide.ts';
import { buildImage } from './image.ts';
import { startMachine, untilDone } from './machine.ts';

/** Builds the image of Caddy from Debian's package: the machine reaches no image registry. */
const CADDY = `
  mkdir caddy && dpkg -x /var/cache/apt/archives/caddy_*.deb caddy
  for library in $(ldd caddy/usr/bin/caddy | grep -o '/[^ ]*'); do cp -L --parents "$library" caddy; done
  tar -C caddy -c . | sudo docker import --change 'ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config' - caddy:2`;
const CA = 'var/lib/docker/volumes/ada_certificates/_data/caddy/pki/authorities/local/root.crt';

test('the container is installed with three commands, serves, stops cleanly and keeps its data', async (t) => {
  const files = [buildImage(VERSION, temporaryFolder()), join(ROOT, 'deploy/compose/sqlite/compose.yaml')];
  const machine = await startMachine(t, files, { docker: true, ca: CA });
  const { run, ask } = machine;
  const [install = '', ...rest] = commandsOf('Container');
  assert.equal(rest.length, 2);
  run(install);
  run(CADDY);
  for (const command of rest) run(command);
  await untilReady(ask);

  const inside = 'sudo docker-compose exec -T latchkey latchkey';
  const key = JSON.parse(run(`${inside} api-key create --description shop --json`));
  const auth = `${key.consumer_key}:${key.consumer_secret}`;
  await useOverHttps(ask, auth);
  const image = run(`sudo docker image inspect -f '{{.Size}}' latchkey:${VERSION}`);
  t.diagnostic(`image: ${Math.round(Number(image) / 1e6)} MB`);

  const state = (format: string) => run(`sudo docker inspect -f '{{${format}}}' ada_latchkey_1`).trim();
  await untilDone(() => assert.equal(state('.State.Health.Status'), 'healthy'));
  // The server is process 1, and exits on the signal by itself.
  run('sudo docker-compose stop latchkey');
  assert.equal(state('.State.ExitCode'), '0');
  // The data outlasts the container.
  run('sudo docker-compose down && sudo docker-compose up -d');
  await untilReady(ask);
  assert.equal((await ask('GET', '/wp-json/dlm/v1/licenses/ACME-0001', auth)).status, 200);
  const data = join(machine.root, 'var/lib/docker/volumes/ada_data/_data');
  assert.ok(readdirSync(data).includes('master.key'));
});
