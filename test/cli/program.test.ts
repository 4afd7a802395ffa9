import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { ProgramCommand } from '../../src/cli/define.ts';
import { Failure, foreseen } from '../../src/cli/failure.ts';
import { Flag } from '../../src/cli/flags.ts';
import { createProgram } from '../../src/cli/program.ts';
import { flagOf, SETTINGS, type SettingName } from '../../src/config/config.ts';
import { VERSION } from '../../src/config/version.ts';
import { BytesMissing, StorageUnavailable, TooManyBytes } from '../../src/storage/storage.ts';
import { StoreDamaged, StoreUnavailable } from '../../src/store/store.ts';
import { startService } from '../support/service.ts';
import { createCli, migratedCli, shell } from './cli.ts';

const program = createProgram({ io: process, given: {}, exitCode: 0 });
/** The paths of a command and of those below it, without groups, which do nothing themselves. */
const pathsOf = (command: ProgramCommand, above = ''): string[] => [
  ...(Object.keys(command.examples).length > 0 ? [`${above}${command.name()}`] : []),
  ...command.commands.flatMap((one) => pathsOf(one as ProgramCommand, `${above}${command.name()} `)),
];
/** `events` always prints lines of JSON. */
const WITHOUT_JSON = ['serve', 'events', 'completion'];
const WITHOUT_DATA = ['healthcheck', 'completion'];
const COMMANDS = program.commands.flatMap((command) => pathsOf(command as ProgramCommand));

const cli = createCli();

test('the help of the program names every command and every exit code', async () => {
  const help = await cli.ok(['--help']);
  for (const command of COMMANDS) assert.ok(help.includes(command.split(' ')[0] as string), command);
  for (const code of ['0  done', '1  refused', '2  wrong usage', '3  the environment', '130'])
    assert.ok(help.includes(code), code);
  assert.equal(await cli.ok(['--version']), `${VERSION}\n`);
});

test('a command line that names a command defines only that one; completion needs all', () => {
  for (const name of program.commands.map((command) => command.name())) {
    const { commands } = createProgram({ io: process, given: {}, exitCode: 0 }, [name]);
    assert.equal(commands.length, name === 'completion' ? program.commands.length : 1, name);
  }
});

test('the help of each command has examples and the common flags, and no secret', async () => {
  for (const command of COMMANDS) {
    const help = await cli.ok([...command.split(' '), '--help']);
    const examples = help.slice(help.indexOf('Examples:')).match(/^ {2}(?!#).*latchkey.*$/gm) ?? [];
    assert.ok(
      examples.some((line) => line.replace(/[^\w-]+/g, ' ').includes(`latchkey ${command}`)),
      command,
    );
    if (!WITHOUT_DATA.includes(command))
      assert.ok(help.includes('--data-dir <folder>') && help.includes('--config <file>'), command);
    assert.ok(WITHOUT_JSON.includes(command) || help.includes('--json'), command);
    for (const name of Object.keys(SETTINGS) as SettingName[]) {
      const isFlag = help.includes(`--${flagOf(name)} `);
      if ('secret' in SETTINGS[name]) assert.ok(!isFlag, `${command} ${name}`);
      else if (command === 'serve') assert.ok(isFlag, name);
      if (command === 'serve') assert.match(help, new RegExp(`\\b${SETTINGS[name].env}\\b`));
    }
  }
});

test('the help of a flag that takes names lists them', async () => {
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]) as ProgramCommand[]) {
    for (const option of command.options) {
      assert.doesNotMatch(option.flags, /<value>/, command.name());
      const told = `${option.flags} ${option.description} ${command.notes.join()}`.replace(/\s+/g, ' ');
      for (const name of option instanceof Flag ? option.names : [])
        assert.ok(told.includes(name), `${command.name()} ${option.long}: ${name}`);
    }
  }
});

test('the help marks exactly the flags that a command refuses to run without', async () => {
  const own = await migratedCli();
  await own.ok(['migrate']);
  const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, flag]) => flag).sort();
  for (const command of [
    ...['license create', 'license extend 1', 'license update 1', 'generator create', 'generator generate 1'],
    ...['software create', 'release yank', 'api-key create', 'user create'],
    ...['move-out dlm', 'event-endpoint create'],
  ]) {
    const words = command.split(' ');
    const help = (await own.ok([...words, '--help'])).replace(/\n +(?![ -])/g, ' ');
    const { stderr } = await own.run(words);
    const marked = found(help, /^ +(--[\w-]+) .*\(required\)$/gm);
    // Of an endpoint, only webhooks need an address.
    const needed = found(stderr, /(--[\w-]+) is required/g).filter((flag) => flag !== '--url');
    assert.deepEqual(marked, needed, command);
  }
});

test('the help of a flag that takes a point in time says what a date without a time means', () => {
  const commands = program.commands.flatMap((one) => [one, ...one.commands]);
  const dates = commands.flatMap(({ options }) => options.filter(({ flags }) => flags.endsWith(' <date>')));
  assert.ok(dates.length > 5);
  for (const { long, description } of dates) assert.match(description, /start of that day/, String(long));
});

test('completion offers commands, flags, names and paths without starting the program', async () => {
  const script = cli.file('completion.bash', await cli.ok(['completion', 'bash']));
  // Do what bash does on a tab: the last word is the one before the cursor.
  const setUp = `source ${script}; tab() { COMP_WORDS=(latchkey "$@"); COMP_CWORD=$#; _latchkey; echo "$?:\${COMPREPLY[*]}"; }`;
  const lines: [line: string, replies: string][] = [
    ['lic', 'license'],
    ['license up', 'update'],
    ['backup v', 'verify'],
    ['license create --st', '--status'],
    ['license create --status de', 'delivered'],
    ['license create --status = di', 'disabled'],
    ['license create --order-id ""', ''],
    ['license update --clear ex', 'expires-at'],
    ['api-key create --permission read_', 'read_write'],
    ['serve --data-dir ""', ''],
    ['license import ""', ''],
    ['completion ""', '--help bash zsh fish'],
    ['license show --json --', '--data-dir --log-level --config --json --help'],
  ];
  const all = [setUp, ...lines.map(([line]) => `tab ${line} 2>&1`)].join('\n');
  const ended = spawnSync('bash', ['--norc', '-c', all], { encoding: 'utf8' });
  assert.deepEqual(
    ended.stdout.trim().split('\n'),
    lines.map(([, replies]) => `0:${replies}`),
  );
  for (const shell of ['zsh', 'fish']) {
    const text = await cli.ok(['completion', shell]);
    for (const command of COMMANDS) assert.ok(text.includes(` ${command}`), command);
  }
  assert.match(await cli.fails(2, ['completion', 'tcsh']), /<shell> must be one of: bash, zsh, fish/);
});

test('wrong usage exits with 2 and suggests the intended word', async () => {
  assert.match(await cli.fails(2, ['licens']), /Unknown command 'licens'.*license/);
  assert.match(await cli.fails(2, ['license', 'lst']), /Unknown command 'lst'.*list/);
  assert.match(await cli.fails(2, ['license', 'list', '--lmit', '3']), /Unknown option '--lmit'.*--limit/);
  assert.match(await cli.fails(2, ['license', 'show']), /Missing required argument 'key'/);
  assert.match(await cli.fails(2, ['license', 'list', 'x']), /Too many arguments/);
  assert.match(await cli.fails(2, ['license', 'list', '--limit']), /argument missing/);
  assert.match(
    await cli.fails(2, ['license', 'create', '--license-key', 'A', '--entitlements', 'a,,b']),
    /--entitlements must be names of letters/,
  );
  const bare = await cli.run(['license']);
  assert.deepEqual([bare.code, bare.stdout], [2, '']);
  assert.match(bare.stderr, /^Usage: latchkey license/);
});

test('--json makes errors JSON, too', async () => {
  const parsed = async (code: number, args: string[]) =>
    JSON.parse(await cli.fails(code, [...args, '--json'])).error;
  assert.equal((await parsed(2, ['license', 'lst'])).code, 'usage');
  const { code, message, params } = await parsed(2, ['license', 'create', '--valid-for', 'soon']);
  assert.equal(code, 'invalid_value');
  assert.match(message, /--license-key is required.*--valid-for must be an integer/);
  assert.deepEqual(Object.keys(params), ['license_key', 'valid_for']);
  assert.equal((await parsed(3, ['license', 'list'])).code, 'setup');
});

test('a bad setting exits with 2 if a flag gave it, with 3 if the environment did', async () => {
  assert.match(await cli.fails(2, ['serve', '--port', '99999']), /--port must be an integer/);
  const env = { LATCHKEY_LOG_LEVEL: 'loud' };
  assert.match(await cli.fails(3, ['license', 'list'], { env }), /LATCHKEY_LOG_LEVEL must be one of/);
  const secret = { LATCHKEY_MASTER_KEY: 'abc123' };
  const told = await cli.fails(3, ['license', 'list'], { env: secret });
  assert.match(told, /LATCHKEY_MASTER_KEY must be 64 hex digits/);
  assert.doesNotMatch(told, /abc123/);
});

test('a misspelled variable causes one warning on standard error', async () => {
  const own = await migratedCli();
  await own.ok(['migrate']);
  const env = { LATCHKEY_PROT: '9' };
  const warning = 'Warning: LATCHKEY_PROT is not a setting of Latchkey (did you mean LATCHKEY_PORT?).';
  assert.equal((await own.run(['license', 'list'], { env })).stderr, `${warning}\n`);
  const { code, stdout, stderr } = await own.run(['license', 'list', '--json'], { env });
  assert.deepEqual([code, JSON.parse(stdout).total], [0, 0]);
  assert.deepEqual(JSON.parse(stderr), { note: { message: warning } });
});

test('--config and LATCHKEY_CONFIG read settings from a file', async () => {
  const own = await migratedCli();
  await own.ok(['migrate']);
  const file = own.file('latchkey.env', `LATCHKEY_DATA_DIR=${own.dataDir}\n`);
  const env = { LATCHKEY_DATA_DIR: '' };
  await own.ok(['license', 'list', '--config', file], { env });
  await own.ok(['license', 'list'], { env: { ...env, LATCHKEY_CONFIG: file } });
  const faulty = own.file('faulty.env', 'LATCHKEY_PROT=9');
  const told = await own.fails(3, ['license', 'list', '--config', faulty]);
  assert.match(told, /faulty\.env, line 1: LATCHKEY_PROT is not a setting .*did you mean LATCHKEY_PORT\?/);
  const missing = await own.fails(3, ['serve', '--config', '/missing']);
  assert.match(missing, /\/missing cannot be read: no such file/);
  assert.match(await own.fails(2, ['license', 'list', '--config', '']), /--config must not be empty/);
});

test('a flag overrides its variable', async () => {
  const other = createCli();
  await cli.ok(['migrate', '--data-dir', other.dataDir]);
  await other.ok(['license', 'list']);
  await cli.fails(3, ['license', 'list']);
  const empty = await other.fails(2, ['license', 'list', '--data-dir', '']);
  assert.match(empty, /--data-dir must not be empty/);
});

test('a reader that closes the pipe early is no failure; a full disk is', async () => {
  const full = await migratedCli();
  const keys = Array.from({ length: 3000 }, (_, i) => `KEY-${i}-${'x'.repeat(200)}`);
  await full.ok(['license', 'import', '-'], { input: ['license_key', ...keys].join('\n') });
  for (const command of ['export', 'export --json', 'list --limit 1000', 'list --limit 1000 --json']) {
    const { code, stdout, stderr } = await shell(
      full.dataDir,
      `latchkey license ${command} | head -c 100; exit \${PIPESTATUS[0]}`,
    );
    assert.deepEqual([code, stdout.length, stderr], [0, 100, ''], command);
  }
  const { code, stderr } = await shell(full.dataDir, 'latchkey license export > /dev/full');
  assert.equal(code, 3);
  assert.match(stderr, /^error: Standard output cannot be written: .*no space left/);
});

test('a folder that cannot be made exits with 3: in a deleted working folder, or in /proc', {
  skip: process.platform === 'linux' ? false : 'this is about Linux',
}, async () => {
  // The limit ends a program that would try forever.
  const migrate = (folder: string) => shell(cli.dataDir, `ulimit -t 30; ${folder}`);
  const gone = await migrate('cd "$(mktemp -d)" && rmdir "$PWD" && latchkey migrate --data-dir ./data');
  assert.deepEqual(
    [gone.code, gone.stderr],
    [3, 'error: The current folder was deleted. Change to another one.\n'],
  );
  const proc = await migrate('latchkey migrate --data-dir /proc/x');
  assert.deepEqual([proc.code, proc.stderr], [3, 'error: /proc/x: there is no such file or folder.\n']);
});

test('an unexpected error exits with 1 and its message; the stack trace is shown only when debugging', async () => {
  const broken = await migratedCli();
  await broken.ok(['license', 'create', '--license-key', 'A']);
  broken.database((db) => db.exec("insert into meta values ('master_key_rotation', '{')"));
  const told = "error: Expected property name or '}' in JSON at position 1 (line 1 column 2)\n";
  assert.equal(await broken.fails(1, ['master-key', 'status']), told);
  for (const options of [{ env: { LATCHKEY_LOG_LEVEL: 'debug' } }, {}]) {
    const flags = 'env' in options ? [] : ['--log-level', 'trace'];
    const { code, stderr } = await broken.run(['master-key', 'status', ...flags], options);
    assert.equal(code, 1);
    assert.match(stderr, /^error: SyntaxError: Expected property name .*\n +at /);
  }
});

test('known errors of the store and the system get their own messages; unknown errors do not', () => {
  const told = (error: unknown) => {
    const failure = foreseen(error);
    return failure && [failure.exitCode, failure.message];
  };
  assert.deepEqual(told(new StoreUnavailable('the database is locked by another process')), [
    3,
    'Another program has locked the database. Try again when it is done.',
  ]);
  assert.match(String(told(new StoreUnavailable('database or disk is full'))), /^3,.*is full/);
  assert.match(
    String(told(new StorageUnavailable('the bucket is away'))),
    /^3,The storage .*: the bucket is/,
  );
  assert.match(
    String(told(new BytesMissing('no object x'))),
    /^3,A release file is missing from the storage: no object x/,
  );
  assert.match(
    String(told(new TooManyBytes('many'))),
    /^1,The file is larger than the maximum of 2,147,483,648 bytes/,
  );
  assert.match(String(told(new StoreDamaged('malformed'))), /^3,The database is damaged: malformed/);
  const system = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });
  assert.match(String(told(system('ENOSPC'))), /^3,No space is left/);
  assert.match(String(told(system('EACCES', { path: '/x' }))), /^3,\/x: permission denied/);
  assert.match(String(told(system('ESPIPE', { path: '/dev/stdin' }))), /^3,\/dev\/stdin: this is a pipe/);
  assert.match(
    String(told(system('EACCES', { syscall: 'mkdir', path: '/x' }))),
    /^3,\/x: permission denied\. Make this folder yourself/,
  );
  assert.match(String(told(system('EACCES', { syscall: 'listen', port: 80 }))), /^3,Port 80 is only for/);
  assert.match(
    String(told(system('ENOTFOUND', { syscall: 'getaddrinfo', hostname: '[::1]' }))),
    /^3,This machine does not have the address "\[::1\]" to listen on\./,
  );
  assert.equal(told(new TypeError('x is not a function')), null);
  assert.equal(told('thrown'), null);
  assert.deepEqual(told(new Failure(1, 'mine', 'Mine.')), [1, 'Mine.']);
});

test('healthcheck says whether the server on this machine can serve', async (t) => {
  const { port, service } = await startService(t);
  const check = ['healthcheck', '--port', String(port)];
  assert.equal(await cli.ok(check), 'The server can serve.\n');
  await service.close();
  assert.match(await cli.fails(1, check), /\/readyz answers 503\.$/m);
  assert.match(
    await cli.fails(1, ['healthcheck', '--port', '1']),
    /\/readyz does not answer: .*ECONNREFUSED/,
  );
});
