import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { flagOf, loadConfig, SETTINGS, type SettingName } from './config.ts';

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

test('an unknown variable is warned of; the port that Kubernetes sets is ignored with a warning', () => {
  const { config: values, warnings } = config({
    LATCHKEY_SERVICE_HOST: '10.0.0.1',
    LATCHKEY_PORT: 'tcp://10.0.0.1:8080',
    LATCHKEY_METRICS_PORT: 'tcp://10.0.0.1:9464',
  });
  assert.deepEqual([values.port, values.metricsPort], [8080, null]);
  assert.equal(warnings.length, 3);
  assert.match(warnings.join('\n'), /LATCHKEY_SERVICE_HOST[\s\S]*LATCHKEY_PORT[\s\S]*named latchkey-metrics/);
});

const BAD: [variable: string, value: string][] = [
  ['LATCHKEY_PORT', 'http'],
  ['LATCHKEY_PORT', '65536'],
  ['LATCHKEY_PORT', '-1'],
  ['LATCHKEY_BASE_URL', 'example.com'],
  ['LATCHKEY_BASE_URL', 'ftp://example.com'],
  ['LATCHKEY_BASE_URL', 'https://example.com/?a=1'],
  ['LATCHKEY_REST_PREFIX', 'a b'],
  ['LATCHKEY_TRUST_PROXY', 'maybe'],
  ['LATCHKEY_CORS_ORIGINS', 'example.com'],
  ['LATCHKEY_RATE_LIMIT', '1.5'],
  ['LATCHKEY_METRICS_TOKEN', 'short'],
  ['LATCHKEY_METRICS_TOKEN', 'a token with spaces'],
  ['LATCHKEY_LOG_LEVEL', 'loud'],
  ['LATCHKEY_DATABASE_URL', 'mysql://localhost/x'],
  ['LATCHKEY_DATABASE_URL', 'postgres://localhost'],
  ['LATCHKEY_DATABASE_URL', 'data/latchkey.db'],
  ['LATCHKEY_DATABASE_REPLICA_URL', 'localhost:5432'],
  ['LATCHKEY_DATABASE_REPLICA_READS', 'some'],
  ['LATCHKEY_DATABASE_CONNECTIONS', '0'],
  ['LATCHKEY_DATABASE_POOLER', 'maybe'],
  ['LATCHKEY_WORKERS', '0'],
  ['LATCHKEY_WORKERS', '65'],
  ['LATCHKEY_WORKERS', '1.5'],
  ['LATCHKEY_WORKERS', 'all'],
];
for (const [variable, value] of BAD) {
  test(`${variable}=${value} is one line that names it`, () => {
    const said = problem({ [variable]: value });
    assert.ok(said.startsWith(`${variable} must be `), said);
    assert.ok(!said.includes('\n'));
  });
}

test('workers are one, as many as are asked for, or one for each core', () => {
  const workers = (text: string) => config({ LATCHKEY_WORKERS: text }).config.workers;
  assert.deepEqual(
    [workers(''), workers('1'), workers('64'), workers('auto')],
    [1, 1, 64, Math.min(64, availableParallelism())],
  );
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

test('the README lists every setting with its default and meaning', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  for (const { env, fallback, meaning } of Object.values(SETTINGS)) {
    const row = `| \`${env}\` | ${fallback} | ${meaning} |`;
    assert.ok(readme.includes(row), `README lacks: ${row}`);
  }
});
