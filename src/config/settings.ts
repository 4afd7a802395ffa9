import {
  baseUrl,
  corsOrigins,
  credential,
  databaseUrl,
  integerIn,
  masterKey,
  mustBe,
  oneOf,
  trustProxy,
  workers,
  yesOrNo,
} from './setting-values.ts';

/** Every setting: its variable, the flag of the same name, its default, its meaning. Nothing else holds a default. */
interface Setting<T> {
  env: `LATCHKEY_${string}`;
  /** In the words of the settings table. */
  fallback: string;
  meaning: string;
  secret?: true;
  /** Throws an Error whose message completes "LATCHKEY_… must be …". */
  parse(text: string): T;
  value: T;
}

const setting = <T>(env: `LATCHKEY_${string}`, definition: Omit<Setting<T>, 'env'>): Setting<T> => ({
  env,
  ...definition,
});
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const REPLICA_READS = ['lists', 'all'] as const;
const S3_DOWNLOADS = ['redirect', 'stream'] as const;

export const SETTINGS = {
  port: setting<number>('LATCHKEY_PORT', {
    fallback: '8080',
    value: 8080,
    meaning: 'Port to listen on; 0 picks a free one',
    parse: (text) => integerIn(text, 0, 65_535),
  }),
  host: setting<string>('LATCHKEY_HOST', {
    fallback: '127.0.0.1',
    value: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 means every IPv4 address',
    parse: (text) => text,
  }),
  workers: setting<number>('LATCHKEY_WORKERS', {
    fallback: '1',
    value: 1,
    meaning: 'Number of server processes, to use more than one core; auto starts one for each core',
    parse: workers,
  }),
  dataDir: setting<string>('LATCHKEY_DATA_DIR', {
    fallback: './data',
    value: './data',
    meaning: 'Folder that holds the database, the master key and release files',
    parse: (text) => text,
  }),
  databaseUrl: setting<string | null>('LATCHKEY_DATABASE_URL', {
    fallback: 'SQLite in the data directory',
    value: null,
    meaning: 'PostgreSQL database to use instead of SQLite (postgres://user:password@host/database)',
    secret: true,
    parse: databaseUrl,
  }),
  databaseConnections: setting<number>('LATCHKEY_DATABASE_CONNECTIONS', {
    fallback: '10',
    value: 10,
    meaning: 'Maximum PostgreSQL connections of each process for requests; lists use up to 4 more',
    parse: (text) => integerIn(text, 1, 1_000),
  }),
  databasePooler: setting<boolean>('LATCHKEY_DATABASE_POOLER', {
    fallback: 'no',
    value: false,
    meaning: 'yes if Latchkey reaches PostgreSQL through a pooler in transaction mode (PgBouncer)',
    parse: yesOrNo,
  }),
  databaseReplicaUrl: setting<string | null>('LATCHKEY_DATABASE_REPLICA_URL', {
    fallback: 'none',
    value: null,
    meaning: 'PostgreSQL read replica for lists, search and reports',
    secret: true,
    parse: databaseUrl,
  }),
  databaseReplicaReads: setting<(typeof REPLICA_READS)[number]>('LATCHKEY_DATABASE_REPLICA_READS', {
    fallback: 'lists',
    value: 'lists',
    meaning:
      'lists: validate and other look-ups read the primary; all: they read the replica too, and may return stale data',
    parse: (text) => oneOf(REPLICA_READS, text),
  }),
  baseUrl: setting<string | null>('LATCHKEY_BASE_URL', {
    fallback: "each request's Host",
    value: null,
    meaning: 'Public address, used for links in answers; may have a path (https://example.com/shop)',
    parse: baseUrl,
  }),
  restPrefix: setting<string>('LATCHKEY_REST_PREFIX', {
    fallback: 'wp-json',
    value: 'wp-json',
    meaning: 'Path segment before /dlm/v1, as existing clients expect it',
    parse: (text) => {
      const trimmed = text.replace(/^\/+|\/+$/g, '');
      if (!/^[\w.~-]+(\/[\w.~-]+)*$/.test(trimmed))
        throw mustBe('one or more path segments of letters, digits, ".", "_", "~" and "-"');
      return trimmed;
    },
  }),
  masterKey: setting<Uint8Array | null>('LATCHKEY_MASTER_KEY', {
    fallback: 'master.key in the data directory, created at the first start',
    value: null,
    meaning:
      'Key that encrypts all license keys: 64 hex digits. Back it up: without it no license key can be read',
    secret: true,
    parse: masterKey,
  }),
  nextMasterKey: setting<Uint8Array | null>('LATCHKEY_NEXT_MASTER_KEY', {
    fallback: 'none',
    value: null,
    meaning:
      'Key that "latchkey master-key rotate" replaces LATCHKEY_MASTER_KEY with: 64 hex digits. It opens the database once LATCHKEY_MASTER_KEY no longer does',
    secret: true,
    parse: masterKey,
  }),
  consumerKey: setting<string | null>('LATCHKEY_CONSUMER_KEY', {
    fallback: 'none',
    value: null,
    meaning:
      'API key with full permission that exists from the first start, for automation; requires LATCHKEY_CONSUMER_SECRET',
    secret: true,
    parse: (text) => credential(text, 'ck_'),
  }),
  consumerSecret: setting<string | null>('LATCHKEY_CONSUMER_SECRET', {
    fallback: 'none',
    value: null,
    meaning: 'Secret of LATCHKEY_CONSUMER_KEY',
    secret: true,
    parse: (text) => credential(text, 'cs_'),
  }),
  trustProxy: setting<boolean | string>('LATCHKEY_TRUST_PROXY', {
    fallback: 'no',
    value: false,
    meaning:
      'Proxies whose X-Forwarded-* headers to trust: no, yes (all), or a list of addresses and networks (10.0.0.0/8,::1)',
    parse: trustProxy,
  }),
  corsOrigins: setting<'*' | readonly string[]>('LATCHKEY_CORS_ORIGINS', {
    fallback: '*',
    value: '*',
    meaning:
      'Web origins that may call the API from a browser: *, none, or a list (https://a.example,https://b.example)',
    parse: corsOrigins,
  }),
  rateLimit: setting<number>('LATCHKEY_RATE_LIMIT', {
    fallback: '0 (no limit)',
    value: 0,
    meaning: 'API requests per minute from one address; further requests are answered 429',
    parse: (text) => integerIn(text, 0, 2 ** 31 - 1),
  }),
  apiKeyRateLimit: setting<number>('LATCHKEY_API_KEY_RATE_LIMIT', {
    fallback: '0 (no limit)',
    value: 0,
    meaning:
      'API requests per minute with one API key, which all installs of a program share; further requests are answered 429',
    parse: (text) => integerIn(text, 0, 2 ** 31 - 1),
  }),
  failureLimit: setting<number>('LATCHKEY_FAILURE_LIMIT', {
    fallback: '300',
    value: 300,
    meaning:
      'Wrong credentials and unknown license keys or tokens per minute from one address; past the limit, all its requests are answered 429 until the minute ends; 0 means no limit',
    parse: (text) => integerIn(text, 0, 2 ** 31 - 1),
  }),
  signInLimit: setting<number>('LATCHKEY_SIGN_IN_LIMIT', {
    fallback: '10',
    value: 10,
    meaning:
      'Console sign-in attempts per minute from one address, and four times as many per hour for one account; further attempts are answered 429; 0 means no limit',
    parse: (text) => integerIn(text, 0, 1_000_000),
  }),
  maxConnections: setting<number>('LATCHKEY_MAX_CONNECTIONS', {
    fallback: '10000',
    value: 10_000,
    meaning:
      'Maximum simultaneous client connections of each process; if no proxy is trusted, one address gets at most a tenth of them',
    parse: (text) => integerIn(text, 1, 1_000_000),
  }),
  downloadHours: setting<number>('LATCHKEY_DOWNLOAD_HOURS', {
    fallback: '24',
    value: 24,
    meaning: 'Hours that the download_url of an update stays valid',
    parse: (text) => integerIn(text, 1, 8_760),
  }),
  downloadDays: setting<number>('LATCHKEY_DOWNLOAD_DAYS', {
    fallback: '365',
    value: 365,
    meaning: 'Days to keep the record of each download; 0 keeps them forever. Daily counts are always kept',
    parse: (text) => integerIn(text, 0, 36_500),
  }),
  s3Bucket: setting<string | null>('LATCHKEY_S3_BUCKET', {
    fallback: 'files in the data directory',
    value: null,
    meaning: 'Bucket of an S3-compatible storage for release files',
    parse: (text) => {
      if (!/^[\w.-]{1,255}$/.test(text)) throw mustBe('the name of a bucket');
      return text;
    },
  }),
  s3Endpoint: setting<string | null>('LATCHKEY_S3_ENDPOINT', {
    fallback: 'AWS',
    value: null,
    meaning: 'Address of the storage if it is not AWS (https://minio.example.com)',
    parse: baseUrl,
  }),
  s3Region: setting<string>('LATCHKEY_S3_REGION', {
    fallback: 'us-east-1',
    value: 'us-east-1',
    meaning: 'Region of the bucket',
    parse: (text) => {
      if (!/^[\w-]{1,64}$/.test(text)) throw mustBe('the name of a region, like eu-central-1');
      return text;
    },
  }),
  s3Prefix: setting<string>('LATCHKEY_S3_PREFIX', {
    fallback: 'none',
    value: '',
    meaning: 'Prefix of all object names, for a bucket that holds other objects too (latchkey/)',
    parse: (text) => {
      if (!/^[\w!.*'()/-]{1,256}$/.test(text)) throw mustBe('letters, digits, "/", "-", "_" and "."');
      return text;
    },
  }),
  s3AccessKeyId: setting<string | null>('LATCHKEY_S3_ACCESS_KEY_ID', {
    fallback: 'found as the AWS tools do',
    value: null,
    meaning: 'Access key of the storage; requires LATCHKEY_S3_SECRET_ACCESS_KEY',
    secret: true,
    parse: (text) => text,
  }),
  s3SecretAccessKey: setting<string | null>('LATCHKEY_S3_SECRET_ACCESS_KEY', {
    fallback: 'found as the AWS tools do',
    value: null,
    meaning: 'Secret of LATCHKEY_S3_ACCESS_KEY_ID',
    secret: true,
    parse: (text) => text,
  }),
  s3Downloads: setting<(typeof S3_DOWNLOADS)[number]>('LATCHKEY_S3_DOWNLOADS', {
    fallback: 'redirect',
    value: 'redirect',
    meaning:
      'redirect: downloads redirect to a signed address of the storage, valid for some minutes; stream: downloads pass through Latchkey',
    parse: (text) => oneOf(S3_DOWNLOADS, text),
  }),
  backupHours: setting<number>('LATCHKEY_BACKUP_HOURS', {
    fallback: '0 (none)',
    value: 0,
    meaning: 'Hours between backups that the server makes',
    parse: (text) => integerIn(text, 0, 8_760),
  }),
  backupDir: setting<string | null>('LATCHKEY_BACKUP_DIR', {
    fallback: 'backups in the data directory',
    value: null,
    meaning: 'Folder for backups; best on another disk, or copied to another machine',
    parse: (text) => text,
  }),
  backupKeep: setting<number>('LATCHKEY_BACKUP_KEEP', {
    fallback: '7',
    value: 7,
    meaning: 'Number of backups that the server keeps in the folder, newest first',
    parse: (text) => integerIn(text, 1, 10_000),
  }),
  logLevel: setting<(typeof LOG_LEVELS)[number]>('LATCHKEY_LOG_LEVEL', {
    fallback: 'info',
    value: 'info',
    meaning: `One of ${LOG_LEVELS.join(', ')}`,
    parse: (text) => oneOf(LOG_LEVELS, text),
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Config = { [K in SettingName]: (typeof SETTINGS)[K]['value'] } & {
  /** Those that a flag or a variable gave, be it their default. */
  given: readonly SettingName[];
};
