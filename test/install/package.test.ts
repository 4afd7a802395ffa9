import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Architecture, buildDeb, VERSION } from '../../tools/build-deb.ts';
import { temporaryFolder } from '../support/folder.ts';
import { commandsOf, untilReady, useOverHttps } from './guide.ts';
import { startMachine, untilDone } from './machine.ts';

const NEXT = '99.0.0';
const folder = temporaryFolder();
// Packing without compression takes a second instead of a minute.
const [own, next] = [VERSION, NEXT].map((version) =>
  buildDeb(process.arch as Architecture, { version, folder, compression: 'none' }),
) as [string, string];

test('the Debian package is installed with three commands, runs, upgrades, and is removed and purged', async (t) => {
  const machine = await startMachine(t, [own, next]);
  const { root, run, ask } = machine;
  const commands = commandsOf('Debian package');
  assert.equal(commands.length, 3);
  for (const command of commands) run(command);
  await untilReady(ask);

  const [show = '', remove = ''] = commandsOf('Debian package', 1);
  assert.match(run(show), /https:\/\/licenses\.local\/console\/setup#/);
  run(remove);
  run('! sudo journalctl -u latchkey | grep -E "cs_|/setup#"');

  const key = JSON.parse(run('sudo latchkey api-key create --description shop --json'));
  const auth = `${key.consumer_key}:${key.consumer_secret}`;
  await useOverHttps(ask, auth);
  // The link has the public address.
  const link = run('sudo latchkey user create --email ada@example.com --name Ada --role owner');
  assert.match(link, /https:\/\/licenses\.local\/console\//);

  // Root's files can be read, and files made by root's commands belong to the service.
  run("printf 'license_key\\nACME-0002\\n' | sudo install -m 600 /dev/stdin /srv/more.csv");
  run('sudo latchkey license import /srv/more.csv && sudo latchkey backup && sudo latchkey doctor');
  run('! sudo find /var/lib/latchkey -not -user latchkey -o -not -group latchkey -o -perm /077 | grep .');
  // Other users cannot read the settings.
  assert.match(run('latchkey license list 2>&1 || true'), /latchkey\.env cannot be read/);
  assert.match(run('latchkey --version'), /^\d+\.\d+\.\d+/);

  // The unit allows what some settings need: other folders, all addresses, several processes.
  run('printf "LATCHKEY_HOST=0.0.0.0\\nLATCHKEY_WORKERS=2\\n" | sudo tee -a /etc/latchkey/latchkey.env');
  for (const command of commandsOf('Debian package', 2)) run(command);
  await untilDone(() => run("sudo sh -c 'ls /srv/backups/*.tar'"));
  await untilReady(ask);

  assert.equal(run('systemctl is-enabled latchkey').trim(), 'enabled');
  run('sudo systemd-analyze verify latchkey.service');
  const security = run('systemd-analyze security latchkey.service --no-pager').trim().split('\n').at(-1);
  t.diagnostic(String(security));

  const settings = join(root, 'etc/latchkey/latchkey.env');
  const edited = readFileSync(settings, 'utf8');
  assert.equal(statSync(settings).mode & 0o777, 0o640);
  const before = run('systemctl show latchkey -p MainPID');
  run(`sudo apt-get install -y ./latchkey_${NEXT}_*.deb`);
  await untilReady(ask);
  assert.notEqual(run('systemctl show latchkey -p MainPID'), before);
  assert.equal(readFileSync(settings, 'utf8'), edited);
  const known = async () => (await ask('GET', '/wp-json/dlm/v1/licenses/ACME-0002', auth)).status;
  assert.equal(await known(), 200);

  // An administrator's choice survives an upgrade.
  run('sudo systemctl disable --now latchkey');
  run(`sudo apt-get install -y --allow-downgrades ./latchkey_${VERSION}_*.deb`);
  assert.equal(run('systemctl is-enabled latchkey || true').trim(), 'disabled');

  const data = join(root, 'var/lib/latchkey');
  const files = readdirSync(data);
  run('sudo apt-get remove -y latchkey');
  assert.equal(readFileSync(settings, 'utf8'), edited);
  run(`sudo apt-get install -y ./latchkey_${VERSION}_*.deb && sudo systemctl start latchkey`);
  await untilReady(ask);
  assert.equal(await known(), 200);
  const purged = run('sudo apt-get purge -y latchkey');
  assert.match(purged, /\/var\/lib\/latchkey is kept/);
  assert.deepEqual(
    readdirSync(data).filter((name) => !name.startsWith('latchkey.db-')),
    files.filter((name) => !name.startsWith('latchkey.db-')),
  );
  assert.deepEqual(
    readdirSync(join(root, 'etc')).filter((name) => name === 'latchkey'),
    [],
  );
  assert.equal(run('systemctl is-active latchkey || true').trim(), 'inactive');
});
