import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { VERSION } from '../../src/config/version.ts';
import { giveAway, isRoot, NOBODY } from '../support/faults/unprivileged.ts';
import { temporaryFolder } from '../support/folder.ts';
import { createApi } from '../support/http/api.ts';
import { startProcess } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { type Cli, createCli, faults, migratedCli, runAsStranger } from './cli.ts';

test('migrate makes a database that only its owner can open, says so, and has nothing to do the second time', async () => {
  const cli = createCli();
  const first = await cli.ok(['migrate']);
  assert.match(
    first,
    /^Set up the database in .* for version .*\.\n.*master\.key encrypts all license keys\. Back it up/,
  );
  assert.equal(statSync(cli.dataDir).mode & 0o777, 0o700);
  assert.match(await cli.ok(['migrate']), /is up to date\.\n$/);
  assert.deepEqual(await cli.json(['migrate']), {
    applied: [],
    from: null,
    to: VERSION,
    made_master_key: null,
  });
  const other = createCli();
  const { applied, made_master_key: made } = await other.json(['migrate']);
  assert.deepEqual([applied[0], made], ['0001-initial', join(other.dataDir, 'master.key')]);
});

test('the program closes a data directory that others could open, unless others may be using it', async (t) => {
  const modeOf = ({ dataDir }: Cli) => statSync(dataDir).mode & 0o7777;
  const list = ['license', 'list'];
  const cli = createCli();
  mkdirSync(cli.dataDir);
  chmodSync(cli.dataDir, 0o755);
  await cli.ok(['license', 'create', '--license-key', 'A']);
  assert.equal(modeOf(cli), 0o700);
  chmodSync(cli.dataDir, 0o2775);
  assert.match(
    (await cli.run(list)).stderr,
    /^Other users of this machine could open \/.*: its mode is now 700\.\n$/,
  );
  assert.equal(modeOf(cli), 0o2700);
  assert.equal((await cli.run(list)).stderr, '');

  chmodSync(cli.dataDir, 0o755);
  writeFileSync(join(cli.dataDir, 'notes'), '');
  await cli.ok(list);
  assert.equal(modeOf(cli), 0o755);
  const server = await startProcess(t, cli.dataDir);
  await server.stop();
  assert.match(server.output(), /other users of this machine can open .*: run \\"chmod 700 /);
  rmSync(join(cli.dataDir, 'notes'));
  // Files of another user: a server of that user may be running here.
  if (isRoot) {
    chownSync(join(cli.dataDir, 'latchkey.db'), NOBODY, NOBODY);
    await cli.ok(list);
    assert.equal(modeOf(cli), 0o755);
  }
});

test('without a database, commands on existing records exit with 3 and make none; those that create a record make one', async () => {
  const cli = createCli();
  for (const command of [
    ['license', 'list'],
    ['license', 'export'],
    ['license', 'show', 'X'],
    ['license', 'delete', 'X'],
    ['activation', 'delete', '1'],
    ['api-key', 'revoke', '1'],
    ['event-endpoint', 'delete', '1'],
    ['user', 'reset', '1'],
    ['signing-key', 'rotate'],
    ['generator', 'generate', '1', '--amount', '1'],
    ['api-key', 'list'],
    ['software', 'list'],
    ['release', 'yank', '--software', 'acme', '--version', '1'],
  ])
    assert.match(await cli.fails(3, command), /^error: There is no database in .*latchkey migrate/);
  assert.ok(!existsSync(cli.dataDir));
  const { code, stderr } = await cli.run(['license', 'create', '--license-key', 'A']);
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^Set up the database in .* for version .*\.\n\S*master\.key encrypts all license keys/,
  );
  assert.equal((await cli.run(['license', 'create', '--license-key', 'B'])).stderr, '');
});

test('the first change creates the API key from the settings, and no other', async (t) => {
  const cli = createCli();
  const { consumerKey, consumerSecret } = makeCredentials();
  const env = { LATCHKEY_CONSUMER_KEY: consumerKey, LATCHKEY_CONSUMER_SECRET: consumerSecret };
  await cli.ok(['license', 'create', '--license-key', 'A'], { env });
  const { api_keys: keys } = await cli.json(['api-key', 'list']);
  assert.deepEqual(
    keys.map((one: { key_ending: string }) => one.key_ending),
    [consumerKey.slice(-7)],
  );
  const server = await startService(t, { dataDir: cli.dataDir });
  await createApi(server.root, { consumerKey, consumerSecret }).ok('GET', '/licenses/A');
});

test('reading works while another program holds the write lock', async (t) => {
  const cli = await migratedCli();
  await cli.ok([
    'generator',
    'create',
    '--name',
    'G',
    '--charset',
    'AB',
    '--chunks',
    '1',
    '--chunk-length',
    '9',
  ]);
  await cli.ok(['license', 'create', '--license-key', 'A']);
  const other = new DatabaseSync(join(cli.dataDir, 'latchkey.db'));
  t.after(() => other.close());
  other.exec('begin immediate');
  assert.equal((await cli.json(['license', 'show', 'A'])).license_key, 'A');
  assert.equal((await cli.json(['license', 'list'])).total, 1);
  assert.match(await cli.ok(['license', 'export']), /\n"A","1",/);
  assert.equal((await cli.json(['api-key', 'list'])).api_keys.length, 0);
  assert.equal((await cli.json(['generator', 'list'])).total, 1);
  assert.equal((await cli.json(['generator', 'generate', '1', '--amount', '3'])).keys.length, 3);
  const change = cli.ok(['license', 'create', '--license-key', 'B']);
  await cli.ok(['license', 'list']);
  other.exec('commit');
  assert.match(await change, /License key +B/);
});

test('a missing, wrong or damaged master key, or a damaged database, exits with 3 and says what to do', async () => {
  const cli = await migratedCli();
  await cli.ok(['license', 'create', '--license-key', 'A']);
  const [key, database] = [join(cli.dataDir, 'master.key'), join(cli.dataDir, 'latchkey.db')];
  const own = readFileSync(key, 'utf8');
  const other = { env: { LATCHKEY_MASTER_KEY: '0'.repeat(64) } };
  for (const command of [
    ['license', 'list'],
    ['license', 'create', '--license-key', 'B'],
    ['serve', '--port', '0'],
  ]) {
    assert.match(await cli.fails(3, command, other), /made with another master key: put that key back/);
    rmSync(key);
    assert.match(await cli.fails(3, command), /master key does not: restore .*master\.key from your backup/);
    writeFileSync(key, 'damaged');
    assert.match(await cli.fails(3, command), /does not hold 64 hex digits/);
    writeFileSync(key, own);
  }
  const { error } = JSON.parse(await cli.fails(3, ['license', 'list', '--json'], other));
  assert.equal(error.code, 'setup');

  writeFileSync(database, 'this is no database and never was one; '.repeat(50));
  for (const command of [['license', 'list'], ['license', 'create', '--license-key', 'B'], ['migrate']])
    assert.match(await cli.fails(3, command), /The database is damaged: file is not a database\. Restore/);
  truncateSync(database);
  assert.match(
    await cli.fails(3, ['license', 'list']),
    /The database is damaged: \S+ is empty .*Restore it from a backup/,
  );
});

test('a log without its database is a fault that doctor names, unless it is empty', async () => {
  const cli = createCli();
  mkdirSync(cli.dataDir, { mode: 0o700 });
  const log = join(cli.dataDir, 'latchkey.db-wal');
  writeFileSync(log, 'changes');
  assert.match(
    (await faults(cli, 1)).Database,
    /latchkey\.db-wal holds the latest changes of a database that/,
  );
  writeFileSync(log, '');
  await cli.ok(['migrate']);
});

test('files that this user may not access exit with 3 and one line', async () => {
  const cli = await migratedCli();
  await cli.ok(['license', 'create', '--license-key', 'A']);
  const told = async (args: string[]) => {
    const { code, stdout, stderr } = await runAsStranger([...args, '--data-dir', cli.dataDir]);
    assert.deepEqual([code, stdout], [3, ''], stderr);
    assert.match(stderr, /^error: [^\n]+\n$/);
    return stderr;
  };
  chmodSync(cli.dataDir, 0o000);
  try {
    for (const command of [
      ['license', 'list'],
      ['license', 'create', '--license-key', 'B'],
      ['serve', '--port', '0'],
    ])
      assert.match(await told(command), /permission denied/);
    if (!isRoot) return;
    // A folder that others may read but not write to.
    giveAway(cli.dataDir);
    chmodSync(cli.dataDir, 0o755);
    assert.match(await told(['license', 'list']), /master\.key: permission denied/);
    chmodSync(join(cli.dataDir, 'master.key'), 0o644);
    assert.match(
      await told(['license', 'create', '--license-key', 'B']),
      /latchkey\.db: permission denied\. Run latchkey as/,
    );
  } finally {
    chmodSync(cli.dataDir, 0o700);
  }
});

test('root may not change the data directory of another user, whose server could not open the files', {
  skip: isRoot ? false : 'this needs root',
}, async (t) => {
  const cli = await migratedCli();
  await cli.ok(['license', 'create', '--license-key', 'A']);
  giveAway(cli.dataDir);
  const files = readdirSync(cli.dataDir);
  const move = `move --to sqlite:${join(temporaryFolder(), 'target')}`;
  for (const command of ['license list', 'migrate', 'backup', 'master-key rotate', move])
    assert.match(
      await cli.fails(3, command.split(' ')),
      /^error: \/\S+ belongs to the user nobody, who .*: run "sudo -u nobody latchkey …", or, .* "chown -R root \/\S+"\.\n$/,
    );
  assert.deepEqual(readdirSync(cli.dataDir), files);
  await cli.ok(['upgrade-check']);
  const tar = join(temporaryFolder(), 'backup.tar');
  await cli.ok(['backup', '--to', tar]);
  const { 'Data directory': directory } = await faults(cli, 0);
  assert.match(directory, /^warn: .* belongs to the user nobody, .* \| As root, doctor cannot check/);
  const empty = createCli(temporaryFolder());
  giveAway(empty.dataDir);
  const restore = ['restore', tar, '--master-key-file', join(cli.dataDir, 'master.key')];
  assert.match(await empty.fails(3, restore), /belongs to the user nobody/);
  assert.deepEqual(readdirSync(empty.dataDir), []);
  const server = await startProcess(t, cli.dataDir);
  await server.stop();
  assert.match(server.output(), /belongs to the user nobody, who could not open the files that root creates/);
  // The files of a server that runs as root in a mounted folder.
  for (const name of readdirSync(cli.dataDir)) chownSync(join(cli.dataDir, name), 0, 0);
  await cli.ok(['license', 'list']);
});

test('a master key file that is a link to nowhere exits with 3', async () => {
  const cli = createCli();
  mkdirSync(cli.dataDir, { mode: 0o700 });
  const key = join(cli.dataDir, 'master.key');
  const isLink =
    /master\.key is a link to a file that does not exist: put that file back, or remove the link/;
  symlinkSync('/missing/master.key', key);
  assert.match(await cli.fails(3, ['migrate']), isLink);
  rmSync(key);
  await cli.ok(['migrate']);
  rmSync(key);
  symlinkSync('/missing/master.key', key);
  assert.match(await cli.fails(3, ['license', 'list']), isLink);
});

test('a data directory that is a file exits with 3', async () => {
  const cli = createCli();
  const path = cli.file('data', '');
  assert.match(await cli.fails(3, ['migrate', '--data-dir', path]), /a file exists where a folder/);
});

test('serve exits with 3 and one line if the port is in use or the address is not local', async (t) => {
  const cli = createCli();
  // A first start would also report the new master key.
  await cli.ok(['migrate']);
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  const inUse = await cli.fails(3, ['serve', '--port', String(port)]);
  assert.equal(
    inUse,
    `error: Port ${port} of 127.0.0.1 is in use by another program. Stop it, or choose another port with --port (for metrics, --metrics-port).\n`,
  );
  // On a machine with IPv6, too, where localhost has two addresses.
  assert.equal(await cli.fails(3, ['serve', '--port', String(port), '--host', 'localhost']), inUse);
  assert.match(
    await cli.fails(3, ['serve', '--host', '192.0.2.1', '--port', '0']),
    /This machine does not have the address "192\.0\.2\.1" .*--host/,
  );
});
