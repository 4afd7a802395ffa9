import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/folder.ts';
import { flagOf, loadConfig, type SettingName } from './config.ts';

const config = (env: Record<string, string>, flags: Partial<Record<SettingName, string>> = {}) => {
  const loaded = loadConfig(env, flags);
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.problem);
  return loaded;
};
const problem = (env: Record<string, string>, flags: Partial<Record<SettingName, string>> = {}): string => {
  const loaded = loadConfig(env, flags);
  assert.ok(!loaded.ok);
  return loaded.problem;
};

test('nothing set gives the defaults', () => {
  const { config: values, warnings } = config({ PATH: '/bin' });
  assert.deepEqual(
    [values.port, values.host, values.dataDir, values.restPrefix],
    [8080, '127.0.0.1', './data', 'wp-json'],
  );
  assert.deepEqual(warnings, []);
});

test('a flag counts before the variable of the same name', () => {
  assert.equal(config({ LATCHKEY_PORT: '1' }, { port: '2' }).config.port, 2);
  assert.equal(flagOf('dataDir'), 'data-dir');
});

test('an empty value counts as none', () => {
  assert.equal(config({ LATCHKEY_PORT: '', LATCHKEY_BASE_URL: '' }).config.port, 8080);
});

test('an unknown variable is warned of, with the one that may be meant', () => {
  const warned = (...names: string[]) =>
    config(Object.fromEntries(names.map((name) => [name, '1']))).warnings;
  assert.deepEqual(warned('LATCHKEY_PROT', 'LATCHKEY_DATADIR', 'LATCHKEY_COLOR', 'LATCHKEY_MASTER_KEY_FIL'), [
    'LATCHKEY_PROT is not a setting of Latchkey (did you mean LATCHKEY_PORT?)',
    'LATCHKEY_DATADIR is not a setting of Latchkey (did you mean LATCHKEY_DATA_DIR?)',
    'LATCHKEY_COLOR is not a setting of Latchkey',
    'LATCHKEY_MASTER_KEY_FIL is not a setting of Latchkey (did you mean LATCHKEY_MASTER_KEY_FILE?)',
  ]);
  assert.deepEqual(warned('LATCHKE_PORT', 'PORT'), []);
});

test('what Kubernetes sets for services is no mistake; its port is ignored with a warning', () => {
  const { config: values, warnings } = config({
    LATCHKEY_SERVICE_HOST: '10.0.0.1',
    LATCHKEY_SERVICE_PORT: '8080',
    LATCHKEY_SERVICE_PORT_HTTP: '8080',
    LATCHKEY_PORT: 'tcp://10.0.0.1:8080',
    LATCHKEY_METRICS_PORT: 'tcp://10.0.0.1:9464',
    LATCHKEY_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    LATCHKEY_PORT_8080_TCP_PROTO: 'tcp',
    LATCHKEY_PORT_8080_TCP_ADDR: '10.0.0.1',
    LATCHKEY_DB_SERVICE_HOST: '10.0.0.2',
    LATCHKEY_DB_PORT: 'tcp://10.0.0.2:5432',
  });
  assert.deepEqual([values.port, values.metricsPort], [8080, null]);
  assert.deepEqual(warnings, [
    'LATCHKEY_PORT is an address that Kubernetes has set for a service named latchkey; it is ignored',
    'LATCHKEY_METRICS_PORT is an address that Kubernetes has set for a service named latchkey-metrics; it is ignored',
  ]);
});

const folder = temporaryFolder();
const file = (name: string, content: string, mode = 0o600): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
};

test('the configuration file: after flags and variables, before defaults', () => {
  const path = file(
    'settings',
    '# Settings\n\nLATCHKEY_PORT=1\nLATCHKEY_HOST = "0.0.0.0" # all\nLATCHKEY_WORKERS=3\n',
  );
  const env = { LATCHKEY_CONFIG: path, LATCHKEY_PORT: '2', LATCHKEY_WORKERS: '' };
  const { config: values, warnings } = config(env, { port: '3' });
  assert.deepEqual([values.port, values.host, values.workers, values.logLevel], [3, '0.0.0.0', 3, 'info']);
  assert.deepEqual(values.given, ['port', 'host', 'workers']);
  assert.equal(config(env).config.port, 2);
  assert.equal(config({ LATCHKEY_CONFIG: path }).config.port, 1);
  assert.deepEqual(warnings, []);
});

test('a fault in the configuration file names the file and the line, or the variable', () => {
  const said = (content: string) =>
    problem({ LATCHKEY_CONFIG: file('faulty', content) }).replace(`${folder}/`, '');
  const goesOn = 'faulty, line 1: the value of LATCHKEY_PLUGIN_SECRET goes on after its closing quote';
  const lines: [content: string, problem: string][] = [
    [
      '\nLATCHKEY_PROT=1',
      'faulty, line 2: LATCHKEY_PROT is not a setting of Latchkey (did you mean LATCHKEY_PORT?)',
    ],
    ['NODE_ENV=x', 'faulty, line 1: NODE_ENV is not a setting of Latchkey'],
    ['LATCHKEY_CONFIG=x', 'faulty, line 1: LATCHKEY_CONFIG is not a setting of Latchkey'],
    ['LATCHKEY_PORT 1', 'faulty, line 1: this is neither NAME=value nor a comment'],
    ['; LATCHKEY_PORT=1', 'faulty, line 1: this is neither NAME=value nor a comment'],
    ['LATCHKEY_HOST="a', 'faulty, line 1: the value of LATCHKEY_HOST lacks its closing quote'],
    [
      'LATCHKEY_PLUGIN_SECRET=a#b',
      'faulty, line 1: put the value of LATCHKEY_PLUGIN_SECRET in quotes, because # begins a comment',
    ],
    [
      'LATCHKEY_PLUGIN_SECRET="a\\nb"',
      'faulty, line 1: put the value of LATCHKEY_PLUGIN_SECRET in single quotes, because \\ is special in double quotes',
    ],
    ['LATCHKEY_PLUGIN_SECRET="a"#b', goesOn],
    ['LATCHKEY_PLUGIN_SECRET="a"b"', goesOn],
    ['LATCHKEY_PORT=x', 'LATCHKEY_PORT in faulty must be an integer from 0 to 65535; it is "x"'],
  ];
  for (const [content, expected] of lines) assert.equal(said(content), expected);
  const quoted = file('quoted', `LATCHKEY_PLUGIN_SECRET='a#"b'\nLATCHKEY_PLUGIN_DEFUSE="'c'" # "d\\"`);
  assert.equal(config({ LATCHKEY_CONFIG: file('marked', '\ufeffLATCHKEY_PORT=1\r\n') }).config.port, 1);
  const { pluginSecret, pluginDefuse } = config({ LATCHKEY_CONFIG: quoted }).config;
  assert.deepEqual([pluginSecret, pluginDefuse], ['a#"b', "'c'"]);
  assert.equal(
    problem({ LATCHKEY_CONFIG: '/missing' }),
    '/missing cannot be read: no such file or directory',
  );
});

test('a configuration file with a secret that everybody can read is warned of', () => {
  const key = `LATCHKEY_MASTER_KEY=${'a'.repeat(64)}`;
  const warned = (content: string, mode: number) =>
    config({ LATCHKEY_CONFIG: file('open', content, mode) }).warnings;
  assert.match(String(warned(key, 0o644)), /open holds LATCHKEY_MASTER_KEY, and every user .* can read it/);
  assert.deepEqual([...warned(key, 0o640), ...warned('LATCHKEY_PORT=1', 0o644)], []);
});

test('a secret may come from a file', () => {
  const key = file('key', `${'A'.repeat(64)}\n`);
  assert.deepEqual(config({ LATCHKEY_MASTER_KEY_FILE: key }).config.masterKey, Buffer.alloc(32, 0xaa));
  const twice = file('twice', ' text\r\n\n');
  const of = (env: Record<string, string>) => config(env).config.pluginSecret;
  assert.equal(of({ LATCHKEY_PLUGIN_SECRET_FILE: twice }), ' text\r\n');
  const inFile = file('named', `LATCHKEY_PLUGIN_SECRET_FILE=${twice}`);
  assert.equal(of({ LATCHKEY_CONFIG: inFile }), ' text\r\n');
  assert.equal(of({ LATCHKEY_CONFIG: inFile, LATCHKEY_PLUGIN_SECRET: 'x' }), 'x');

  const variable = 'LATCHKEY_MASTER_KEY_FILE';
  const said = (path: string) => problem({ [variable]: path });
  assert.equal(said('/missing'), `${variable}=/missing cannot be read: no such file or directory`);
  assert.match(said(folder), /^LATCHKEY_MASTER_KEY_FILE=.* cannot be read: illegal operation on a directory/);
  const tooLarge = /^LATCHKEY_MASTER_KEY_FILE=.* cannot be read: it is larger than 64 KiB$/;
  assert.match(said(file('large', 'a'.repeat(64 * 1024 + 1))), tooLarge);
  // A device that never ends.
  if (process.platform !== 'win32') assert.match(said('/dev/zero'), tooLarge);
  assert.match(said(file('empty', '\n')), /^LATCHKEY_MASTER_KEY_FILE=.*: the file is empty$/);
  assert.equal(
    said(file('bad', 'hunter2')),
    `${variable} must name a file with 64 hex digits (openssl rand -hex 32)`,
  );
  assert.equal(
    problem({ [variable]: key, LATCHKEY_MASTER_KEY: 'a'.repeat(64) }),
    `LATCHKEY_MASTER_KEY and ${variable} cannot both be set: unset one of them`,
  );
  assert.deepEqual(config({ LATCHKEY_PORT_FILE: key }).warnings.length, 1);
});

const BAD: Record<string, string[]> = {
  LATCHKEY_PORT: ['http', '65536', '-1'],
  LATCHKEY_BASE_URL: ['example.com', 'ftp://example.com', 'https://example.com/?a=1'],
  LATCHKEY_REST_PREFIX: ['a b'],
  LATCHKEY_TRUST_PROXY: ['maybe', 'cafe.face', '127.0.0.1,', '10.0.0.0/99', '0.0.0.0/0'],
  LATCHKEY_CORS_ORIGINS: ['example.com'],
  LATCHKEY_RATE_LIMIT: ['1.5'],
  LATCHKEY_METRICS_TOKEN: ['short', 'a token with spaces'],
  LATCHKEY_LOG_LEVEL: ['loud'],
  LATCHKEY_DATABASE_URL: ['mysql://localhost/x', 'postgres://localhost', 'data/latchkey.db'],
  LATCHKEY_DATABASE_REPLICA_URL: ['localhost:5432'],
  LATCHKEY_DATABASE_REPLICA_READS: ['some'],
  LATCHKEY_DATABASE_CONNECTIONS: ['0'],
  LATCHKEY_DATABASE_POOLER: ['maybe'],
  LATCHKEY_WEBHOOK_NETWORKS: [
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'fe80::1%eth0',
    '10.0.0.1,,10.0.0.2',
  ],
  LATCHKEY_EVENT_DAYS: ['0'],
  LATCHKEY_EXPIRING_DAYS: ['30,0', '7,366', '7,7', '1,2,3,4,5,6,7,8,9,10,11'],
  LATCHKEY_BACKUP_DIR: ['s3://bucket/backups'],
  LATCHKEY_WORKERS: ['0', '65', '1.5', 'all'],
};
for (const [variable, values] of Object.entries(BAD))
  for (const value of values)
    test(`${variable}=${value} is one line that names it`, () => {
      const said = problem({ [variable]: value });
      assert.ok(said.startsWith(`${variable} must be `), said);
      assert.ok(!said.includes('\n'));
    });

test('workers are one, as many as are asked for, or one for each core', () => {
  const workers = (text: string) => config({ LATCHKEY_WORKERS: text }).config.workers;
  assert.deepEqual(
    [workers(''), workers('1'), workers('64'), workers('auto')],
    [1, 1, 64, Math.min(64, availableParallelism())],
  );
});

test('proxies are trusted by address, network or name', () => {
  for (const proxies of ['loopback', '127.0.0.1,::1', '10.0.0.0/8, fd00::/8'])
    assert.equal(config({ LATCHKEY_TRUST_PROXY: proxies }).config.trustProxy, proxies);
});

test('lists of networks and of days may be none', () => {
  const lists = (networks: string, days: string) => {
    const { webhookNetworks, expiringDays } = config({
      LATCHKEY_WEBHOOK_NETWORKS: networks,
      LATCHKEY_EXPIRING_DAYS: days,
    }).config;
    return [webhookNetworks, expiringDays];
  };
  assert.deepEqual(lists('', ''), [[], [30, 7, 1]]);
  assert.deepEqual(lists('none', 'None'), [[], []]);
  assert.deepEqual(lists('10.0.0.0/8, ::1,fd00::/8', '1, 365'), [
    ['10.0.0.0/8', '::1', 'fd00::/8'],
    [1, 365],
  ]);
});

test('a bad secret is named and not repeated', () => {
  for (const [name, value] of [
    ['LATCHKEY_MASTER_KEY', 'hunter2'],
    ['LATCHKEY_CONSUMER_SECRET', 'cs_hunter2'],
    ['LATCHKEY_DATABASE_URL', 'mysql://u:hunter2@h/d'],
    ['LATCHKEY_DATABASE_REPLICA_URL', 'postgres://u:hunter2@h'],
  ] as const) {
    const said = problem({ [name]: value });
    assert.ok(said.startsWith(name) && !said.includes('hunter2'), said);
  }
});

test('a consumer key without its secret is a problem', () => {
  assert.match(problem({ LATCHKEY_CONSUMER_KEY: `ck_${'0'.repeat(40)}` }), /together/);
});

test('a replica or a pooler without a database of PostgreSQL is a problem', () => {
  const replica = { LATCHKEY_DATABASE_REPLICA_URL: 'postgres://h/d' };
  assert.match(problem(replica), /^LATCHKEY_DATABASE_REPLICA_URL needs LATCHKEY_DATABASE_URL/);
  assert.match(problem({ LATCHKEY_DATABASE_POOLER: 'yes' }), /^LATCHKEY_DATABASE_POOLER needs/);
});

test('a setting of the bucket without a bucket is one line that names both', () => {
  const S3 = {
    LATCHKEY_S3_ENDPOINT: 'https://s3.example.com',
    LATCHKEY_S3_REGION: 'eu-central-1',
    LATCHKEY_S3_PREFIX: 'latchkey/',
    LATCHKEY_S3_DOWNLOADS: 'stream',
  };
  for (const [variable, value] of Object.entries(S3)) {
    assert.equal(problem({ [variable]: value }), `${variable} needs LATCHKEY_S3_BUCKET, which is not set`);
    assert.equal(config({ [variable]: value, LATCHKEY_S3_BUCKET: 'b' }).config.s3Bucket, 'b');
    config({ [variable]: '' });
  }
  const keys = { LATCHKEY_S3_ACCESS_KEY_ID: 'hunter1', LATCHKEY_S3_SECRET_ACCESS_KEY: 'hunter2' };
  assert.equal(problem(keys), 'LATCHKEY_S3_ACCESS_KEY_ID needs LATCHKEY_S3_BUCKET, which is not set');
  assert.match(problem({}, { s3Prefix: 'x' }), /^--s3-prefix needs LATCHKEY_S3_BUCKET/);
});

test('metrics have a port of their own or a token, and a host only with the port', () => {
  const LATCHKEY_METRICS_TOKEN = 'hunter2-hunter2-hunter2';
  assert.equal(config({ LATCHKEY_METRICS_TOKEN }).config.metricsPort, null);
  assert.match(
    problem({ LATCHKEY_METRICS_TOKEN, LATCHKEY_METRICS_PORT: '9464' }),
    /must not be set together/,
  );
  assert.equal(
    problem({ LATCHKEY_METRICS_TOKEN, LATCHKEY_METRICS_HOST: '10.0.0.1' }),
    'LATCHKEY_METRICS_HOST needs LATCHKEY_METRICS_PORT, which is not set',
  );
  assert.equal(config({ LATCHKEY_METRICS_PORT: '9464' }).config.metricsHost, '127.0.0.1');
  assert.equal(
    problem({ LATCHKEY_METRICS_PORT: '8080' }),
    'LATCHKEY_METRICS_PORT must not be LATCHKEY_PORT: metrics have a port of their own',
  );
  assert.equal(config({ LATCHKEY_METRICS_PORT: '0', LATCHKEY_PORT: '0' }).config.metricsPort, 0);
});

test('a problem with a flag names the flag', () => {
  assert.match(problem({}, { port: 'x' }), /^--port must be /);
});

test('a base URL keeps its path, without a slash at the end', () => {
  assert.equal(
    config({ LATCHKEY_BASE_URL: 'https://example.com/shop/' }).config.baseUrl,
    'https://example.com/shop',
  );
  assert.equal(config({ LATCHKEY_BASE_URL: 'https://example.com' }).config.baseUrl, 'https://example.com');
});
