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
    meaning: 'Port to listen on; 0 takes a free one',
    parse: (text) => integerIn(text, 0, 65_535),
  }),
  host: setting<string>('LATCHKEY_HOST', {
    fallback: '127.0.0.1',
    value: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 for every IPv4 address',
    parse: (text) => text,
  }),
  workers: setting<number>('LATCHKEY_WORKERS', {
    fallback: '1',
    value: 1,
    meaning: 'Processes that serve side by side, to use as many cores; auto for one for each core',
    parse: workers,
  }),
  dataDir: setting<string>('LATCHKEY_DATA_DIR', {
    fallback: './data',
    value: './data',
    meaning: 'Folder of the database, the master key and the files of releases',
    parse: (text) => text,
  }),
  databaseUrl: setting<string | null>('LATCHKEY_DATABASE_URL', {
    fallback: 'SQLite in the data directory',
    value: null,
    meaning: 'A PostgreSQL database to keep everything in (postgres://user:password@host/database)',
    secret: true,
    parse: databaseUrl,
  }),
  databaseConnections: setting<number>('LATCHKEY_DATABASE_CONNECTIONS', {
    fallback: '10',
    value: 10,
    meaning: 'Connections to PostgreSQL at most, of each process, for requests; lists have up to 4 more',
    parse: (text) => integerIn(text, 1, 1_000),
  }),
  databasePooler: setting<boolean>('LATCHKEY_DATABASE_POOLER', {
    fallback: 'no',
    value: false,
    meaning: 'yes where a pooler in transaction mode (PgBouncer) is between Latchkey and PostgreSQL',
    parse: yesOrNo,
  }),
  databaseReplicaUrl: setting<string | null>('LATCHKEY_DATABASE_REPLICA_URL', {
    fallback: 'none',
    value: null,
    meaning: 'A read replica of the PostgreSQL database, for lists, search and reports',
    secret: true,
    parse: databaseUrl,
  }),
  databaseReplicaReads: setting<(typeof REPLICA_READS)[number]>('LATCHKEY_DATABASE_REPLICA_READS', {
    fallback: 'lists',
    value: 'lists',
    meaning:
      'lists: validate and other look-ups read the primary; all: they read the replica, too, and may be behind it',
    parse: (text) => oneOf(REPLICA_READS, text),
  }),
  baseUrl: setting<string | null>('LATCHKEY_BASE_URL', {
    fallback: "each request's Host",
    value: null,
    meaning: 'Public address, for links in answers; may have a path (https://example.com/shop)',
    parse: baseUrl,
  }),
  restPrefix: setting<string>('LATCHKEY_REST_PREFIX', {
    fallback: 'wp-json',
    value: 'wp-json',
    meaning: 'Path segment before /dlm/v1, as existing clients have it',
    parse: (text) => {
      const trimmed = text.replace(/^\/+|\/+$/g, '');
      if (!/^[\w.~-]+(\/[\w.~-]+)*$/.test(trimmed))
        throw mustBe('one or more path segments of letters, digits, ".", "_", "~" and "-"');
      return trimmed;
    },
  }),
  masterKey: setting<Uint8Array | null>('LATCHKEY_MASTER_KEY', {
    fallback: 'master.key in the data directory, made at the first start',
    value: null,
    meaning:
      'The key that all license keys are encrypted under: 64 hex digits. Without it nothing can be read: back it up',
    secret: true,
    parse: masterKey,
  }),
  nextMasterKey: setting<Uint8Array | null>('LATCHKEY_NEXT_MASTER_KEY', {
    fallback: 'none',
    value: null,
    meaning:
      'The key that "latchkey master-key rotate" puts in the place of LATCHKEY_MASTER_KEY: 64 hex digits. It opens the database where the other does not any more',
    secret: true,
    parse: masterKey,
  }),
  consumerKey: setting<string | null>('LATCHKEY_CONSUMER_KEY', {
    fallback: 'none',
    value: null,
    meaning:
      'An API key with full permission that exists from the first start, for automation; with LATCHKEY_CONSUMER_SECRET',
    secret: true,
    parse: (text) => credential(text, 'ck_'),
  }),
  consumerSecret: setting<string | null>('LATCHKEY_CONSUMER_SECRET', {
    fallback: 'none',
    value: null,
    meaning: 'The secret of LATCHKEY_CONSUMER_KEY',
    secret: true,
    parse: (text) => credential(text, 'cs_'),
  }),
  trustProxy: setting<boolean | string>('LATCHKEY_TRUST_PROXY', {
    fallback: 'no',
    value: false,
    meaning:
      "Whose X-Forwarded-* headers count: no, yes (anybody's), or a list of proxies' addresses and networks (10.0.0.0/8,::1)",
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
    meaning: 'API requests per minute allowed from one address; past that the answer is 429',
    parse: (text) => integerIn(text, 0, 2 ** 31 - 1),
  }),
  apiKeyRateLimit: setting<number>('LATCHKEY_API_KEY_RATE_LIMIT', {
    fallback: '0 (no limit)',
    value: 0,
    meaning:
      'API requests per minute allowed with one API key, which all installs of a program share; past that the answer is 429',
    parse: (text) => integerIn(text, 0, 2 ** 31 - 1),
  }),
  failureLimit: setting<number>('LATCHKEY_FAILURE_LIMIT', {
    fallback: '300',
    value: 300,
    meaning:
      'Wrong credentials, and unknown license keys and tokens, per minute allowed from one address; past that it is answered 429 until the minute is over; 0 for no limit',
    parse: (text) => integerIn(text, 0, 2 ** 31 - 1),
  }),
  signInLimit: setting<number>('LATCHKEY_SIGN_IN_LIMIT', {
    fallback: '10',
    value: 10,
    meaning:
      'Attempts per minute to sign in to the console allowed from one address, and four times as many per hour at one account; past that the answer is 429; 0 for no limit',
    parse: (text) => integerIn(text, 0, 1_000_000),
  }),
  maxConnections: setting<number>('LATCHKEY_MAX_CONNECTIONS', {
    fallback: '10000',
    value: 10_000,
    meaning:
      'Connections of clients at once, of each process; where no proxy is trusted, one address has at most a tenth of them',
    parse: (text) => integerIn(text, 1, 1_000_000),
  }),
  downloadHours: setting<number>('LATCHKEY_DOWNLOAD_HOURS', {
    fallback: '24',
    value: 24,
    meaning: 'Hours that the download_url of an update is good for',
    parse: (text) => integerIn(text, 1, 8_760),
  }),
  downloadDays: setting<number>('LATCHKEY_DOWNLOAD_DAYS', {
    fallback: '365',
    value: 365,
    meaning: 'Days that the record of each download is kept, 0 for ever; counts stay',
    parse: (text) => integerIn(text, 0, 36_500),
  }),
  s3Bucket: setting<string | null>('LATCHKEY_S3_BUCKET', {
    fallback: 'files in the data directory',
    value: null,
    meaning: 'Bucket of an S3-compatible storage that keeps the files of releases',
    parse: (text) => {
      if (!/^[\w.-]{1,255}$/.test(text)) throw mustBe('the name of a bucket');
      return text;
    },
  }),
  s3Endpoint: setting<string | null>('LATCHKEY_S3_ENDPOINT', {
    fallback: "AWS's own",
    value: null,
    meaning: 'Address of the storage, where it is not AWS (https://minio.example.com)',
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
    meaning: 'What the names of all objects begin with, where the bucket holds others, too (latchkey/)',
    parse: (text) => {
      if (!/^[\w!.*'()/-]{1,256}$/.test(text)) throw mustBe('letters, digits, "/", "-", "_" and "."');
      return text;
    },
  }),
  s3AccessKeyId: setting<string | null>('LATCHKEY_S3_ACCESS_KEY_ID', {
    fallback: "as AWS's own tools find it",
    value: null,
    meaning: 'Access key of the storage; with LATCHKEY_S3_SECRET_ACCESS_KEY',
    secret: true,
    parse: (text) => text,
  }),
  s3SecretAccessKey: setting<string | null>('LATCHKEY_S3_SECRET_ACCESS_KEY', {
    fallback: "as AWS's own tools find it",
    value: null,
    meaning: 'The secret of LATCHKEY_S3_ACCESS_KEY_ID',
    secret: true,
    parse: (text) => text,
  }),
  s3Downloads: setting<(typeof S3_DOWNLOADS)[number]>('LATCHKEY_S3_DOWNLOADS', {
    fallback: 'redirect',
    value: 'redirect',
    meaning:
      'redirect: downloads are sent on to a signed address of the storage, good for some minutes; stream: they pass through Latchkey',
    parse: (text) => oneOf(S3_DOWNLOADS, text),
  }),
  backupHours: setting<number>('LATCHKEY_BACKUP_HOURS', {
    fallback: '0 (none)',
    value: 0,
    meaning: 'The server makes a backup of everything every so many hours',
    parse: (text) => integerIn(text, 0, 8_760),
  }),
  backupDir: setting<string | null>('LATCHKEY_BACKUP_DIR', {
    fallback: 'backups in the data directory',
    value: null,
    meaning: 'Folder that backups are made in; best on another disk, or copied to another machine',
    parse: (text) => text,
  }),
  backupKeep: setting<number>('LATCHKEY_BACKUP_KEEP', {
    fallback: '7',
    value: 7,
    meaning: 'How many of the backups that the server makes are kept; of those in the folder, the newest',
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
