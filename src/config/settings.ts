import {
  anyText,
  baseUrl,
  corsOrigins,
  credential,
  databaseUrl,
  daysBefore,
  folder,
  integer,
  masterKey,
  matching,
  networks,
  oneOf,
  restPrefix,
  trustProxy,
  type Values,
  workers,
  yesOrNo,
} from './setting-values.ts';

interface Setting<T, D> {
  /** The environment variable. The name of the flag is derived from it. */
  env: `LATCHKEY_${string}`;
  /** The default. */
  value: T | Extract<D, null>;
  values: Values<T>;
  /** The meaning, as in the reference. */
  meaning: string;
  /** The default, as in the reference. Derived from the value if the definition does not give it. */
  fallback: string;
  secret?: true;
}

const setting = <T, D extends NoInfer<T> | null>(
  env: Setting<T, D>['env'],
  value: D,
  values: Values<T>,
  { fallback, ...texts }: { meaning: string; fallback?: string; secret?: true },
): Setting<T, D> => ({
  env,
  value: value as T | Extract<D, null>,
  values,
  ...texts,
  fallback: fallback ?? (value === false ? 'no' : String(value ?? '') || 'none'),
});

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LIMIT = integer(0, 2 ** 31 - 1);

/** All settings. Defaults are defined only here. */
export const SETTINGS = {
  port: setting('LATCHKEY_PORT', 8080, integer(0, 65_535, 'port'), {
    meaning: 'Port to listen on; 0 picks a free one',
  }),
  host: setting('LATCHKEY_HOST', '127.0.0.1', anyText('an IP address or a host name', 'address'), {
    meaning: 'Address to listen on; 0.0.0.0 means every IPv4 address',
  }),
  workers: setting('LATCHKEY_WORKERS', 1, workers, {
    meaning: 'Number of server processes, to use more than one core; auto starts one for each core',
  }),
  dataDir: setting('LATCHKEY_DATA_DIR', './data', folder, {
    meaning: 'Folder that holds the database, the master key and release files',
  }),
  databaseUrl: setting('LATCHKEY_DATABASE_URL', null, databaseUrl, {
    meaning: 'PostgreSQL database to use instead of SQLite (postgres://user:password@host/database)',
    fallback: 'SQLite in the data directory',
    secret: true,
  }),
  databaseConnections: setting('LATCHKEY_DATABASE_CONNECTIONS', 10, integer(1, 1_000), {
    meaning: 'Maximum PostgreSQL connections of each process for requests; lists use up to 4 more',
  }),
  databasePooler: setting('LATCHKEY_DATABASE_POOLER', false, yesOrNo, {
    meaning: 'yes if Latchkey reaches PostgreSQL through a pooler in transaction mode (PgBouncer)',
  }),
  databaseReplicaUrl: setting('LATCHKEY_DATABASE_REPLICA_URL', null, databaseUrl, {
    meaning: 'PostgreSQL read replica for lists and reports',
    secret: true,
  }),
  databaseReplicaReads: setting(
    'LATCHKEY_DATABASE_REPLICA_READS',
    'lists',
    oneOf('lists|all', 'lists', 'all'),
    {
      meaning:
        'lists: validate and other look-ups read the primary; all: they read the replica too, and may return stale data',
    },
  ),
  baseUrl: setting('LATCHKEY_BASE_URL', null, baseUrl, {
    meaning: 'Public address, used for links in answers; may have a path (https://example.com/shop)',
    fallback: "each request's Host",
  }),
  restPrefix: setting('LATCHKEY_REST_PREFIX', 'wp-json', restPrefix, {
    meaning: 'Path segment before /dlm/v1, as existing clients expect it',
  }),
  masterKey: setting('LATCHKEY_MASTER_KEY', null, masterKey, {
    meaning:
      'Key that encrypts all license keys: 64 hex digits. Back it up: without it no license key can be read',
    fallback: 'master.key in the data directory, created at the first start',
    secret: true,
  }),
  nextMasterKey: setting('LATCHKEY_NEXT_MASTER_KEY', null, masterKey, {
    meaning:
      'Key that "latchkey master-key rotate" replaces LATCHKEY_MASTER_KEY with: 64 hex digits. It opens the database once LATCHKEY_MASTER_KEY no longer does',
    secret: true,
  }),
  moveTo: setting('LATCHKEY_MOVE_TO', null, anyText('as --to of latchkey move'), {
    meaning: 'Database that "latchkey move" copies to, if neither --to nor --to-file names it',
    secret: true,
  }),
  moveInDatabase: setting(
    'LATCHKEY_MOVE_IN_DATABASE',
    null,
    anyText('an address like mysql://user:password@host/database'),
    {
      meaning: 'Database of a WordPress shop that "latchkey move-in" reads, if --database does not name it',
      secret: true,
    },
  ),
  pluginDefuse: setting('LATCHKEY_PLUGIN_DEFUSE', null, anyText('the text in wp-config.php'), {
    meaning:
      'The plugin\'s encryption key for "latchkey move-in" and "move-out", if wp-config.php defines it (DLM_PLUGIN_DEFUSE)',
    secret: true,
  }),
  pluginSecret: setting('LATCHKEY_PLUGIN_SECRET', null, anyText('the text in wp-config.php'), {
    meaning:
      'The plugin\'s secret for "latchkey move-in" and "move-out", if wp-config.php defines it (DLM_PLUGIN_SECRET)',
    secret: true,
  }),
  consumerKey: setting('LATCHKEY_CONSUMER_KEY', null, credential('ck_'), {
    meaning:
      'API key with full permission that exists from the first start, for automation; requires LATCHKEY_CONSUMER_SECRET',
    secret: true,
  }),
  consumerSecret: setting('LATCHKEY_CONSUMER_SECRET', null, credential('cs_'), {
    meaning: 'Secret of LATCHKEY_CONSUMER_KEY',
    secret: true,
  }),
  trustProxy: setting('LATCHKEY_TRUST_PROXY', false, trustProxy, {
    meaning:
      'Proxies whose X-Forwarded-* headers to trust: no, yes (all), or a list of addresses and networks (10.0.0.0/8,::1)',
  }),
  corsOrigins: setting('LATCHKEY_CORS_ORIGINS', '*', corsOrigins, {
    meaning:
      'Web origins that may call the API from a browser: *, none, or a list (https://a.example,https://b.example)',
  }),
  clientApi: setting('LATCHKEY_CLIENT_API', 'on', oneOf('on|off', 'on', 'off'), {
    meaning:
      'on: programs that ship no secret may use /client/v1, which asks for a license key or an activation token instead of an API key; off: it answers 404',
  }),
  rateLimit: setting('LATCHKEY_RATE_LIMIT', 0, LIMIT, {
    meaning: 'Requests per minute from one address, all but health checks; further requests are answered 429',
    fallback: '0 (no limit)',
  }),
  apiKeyRateLimit: setting('LATCHKEY_API_KEY_RATE_LIMIT', 0, LIMIT, {
    meaning:
      'API requests per minute with one API key; further requests are answered 429. All installs of a program that uses the v1 API share its key. Requests to the client API carry no API key and are not counted',
    fallback: '0 (no limit)',
  }),
  failureLimit: setting('LATCHKEY_FAILURE_LIMIT', 300, LIMIT, {
    meaning:
      'Wrong credentials, and unknown license keys or tokens, per minute from one address; 0 means no limit. Past it, further failures are answered 429 until the minute ends. After ten times as many unknown license keys sent with an API key, every request of the address that has an API key and names a license key is answered 429. License keys sent with an API key that may list licenses are exempt, except to activate',
  }),
  signInLimit: setting('LATCHKEY_SIGN_IN_LIMIT', 10, integer(0, 1_000_000), {
    meaning:
      'Console sign-in attempts per minute from one address, and four times as many per hour for one account; further attempts are answered 429; 0 means no limit',
  }),
  maxConnections: setting('LATCHKEY_MAX_CONNECTIONS', 10_000, integer(1, 1_000_000), {
    meaning:
      'Maximum simultaneous client connections of each process; if no proxy is trusted, one address gets at most a tenth of them',
  }),
  downloadHours: setting('LATCHKEY_DOWNLOAD_HOURS', 24, integer(1, 8_760), {
    meaning: 'Hours that the download_url of an update stays valid',
  }),
  downloadDays: setting('LATCHKEY_DOWNLOAD_DAYS', 365, integer(0, 36_500), {
    meaning:
      'Days to keep the record of each download; 0 keeps them forever. Daily counts are kept as long as the release',
  }),
  historyKeep: setting('LATCHKEY_HISTORY_KEEP', 1_000, integer(0, 1_000_000), {
    meaning:
      'Number of deactivated activations and of download records to keep for each license, the newest first (for each release, if downloaded without a license); older ones are only counted; 0 keeps all',
  }),
  webhookNetworks: setting('LATCHKEY_WEBHOOK_NETWORKS', [], networks, {
    meaning:
      'Networks that are not public and that webhooks may be sent to, also by http (10.1.0.0/16,fd00::/8); everywhere else, webhooks go to public addresses by https',
  }),
  eventDays: setting('LATCHKEY_EVENT_DAYS', 30, integer(1, 3_650), {
    meaning: 'Days to keep events and their deliveries, also those that no receiver got',
  }),
  expiringDays: setting('LATCHKEY_EXPIRING_DAYS', [30, 7, 1], daysBefore, {
    meaning: 'Days before the expiry of a license on which the event license.expiring is sent; none: never',
  }),
  trashDays: setting('LATCHKEY_TRASH_DAYS', 30, integer(0, 36_500), {
    meaning:
      'Days for which a deleted license can be restored with its activations; 0 removes it within the hour',
  }),
  s3Bucket: setting('LATCHKEY_S3_BUCKET', null, matching(/^[\w.-]{1,255}$/, 'the name of a bucket', 'name'), {
    meaning: 'Bucket of an S3-compatible storage for release files',
    fallback: 'files in the data directory',
  }),
  s3Endpoint: setting('LATCHKEY_S3_ENDPOINT', null, baseUrl, {
    meaning: 'Address of the storage if it is not AWS (https://minio.example.com)',
    fallback: 'AWS',
  }),
  s3Region: setting(
    'LATCHKEY_S3_REGION',
    'us-east-1',
    matching(/^[\w-]{1,64}$/, 'the name of a region, like eu-central-1', 'name'),
    {
      meaning: 'Region of the bucket',
    },
  ),
  s3Prefix: setting(
    'LATCHKEY_S3_PREFIX',
    '',
    matching(/^[\w!.*'()/-]{1,256}$/, 'letters, digits, "/", "-", "_" and "."', 'text'),
    {
      meaning: 'Prefix of all object names, for a bucket that holds other objects too (latchkey/)',
    },
  ),
  s3AccessKeyId: setting('LATCHKEY_S3_ACCESS_KEY_ID', null, anyText('the id of an access key'), {
    meaning: 'Access key of the storage; requires LATCHKEY_S3_SECRET_ACCESS_KEY',
    fallback: 'found as the AWS tools do',
    secret: true,
  }),
  s3SecretAccessKey: setting('LATCHKEY_S3_SECRET_ACCESS_KEY', null, anyText('the secret of an access key'), {
    meaning: 'Secret of LATCHKEY_S3_ACCESS_KEY_ID',
    fallback: 'found as the AWS tools do',
    secret: true,
  }),
  s3Downloads: setting('LATCHKEY_S3_DOWNLOADS', 'redirect', oneOf('redirect|stream', 'redirect', 'stream'), {
    meaning:
      'redirect: downloads redirect to a signed address of the storage, valid for some minutes; stream: downloads pass through Latchkey',
  }),
  backupHours: setting('LATCHKEY_BACKUP_HOURS', 0, integer(0, 8_760), {
    meaning: 'Hours between backups that the server makes',
    fallback: '0 (none)',
  }),
  backupDir: setting('LATCHKEY_BACKUP_DIR', null, folder, {
    meaning: 'Folder for backups; best on another disk, or copied to another machine',
    fallback: 'backups in the data directory',
  }),
  backupKeep: setting('LATCHKEY_BACKUP_KEEP', 7, integer(1, 10_000), {
    meaning: 'Number of backups that the server keeps in the folder, newest first',
  }),
  metricsPort: setting('LATCHKEY_METRICS_PORT', null, integer(0, 65_535, 'port'), {
    meaning: 'Port that serves /metrics for Prometheus, to anybody who can reach it; 0 picks a free one',
  }),
  metricsHost: setting(
    'LATCHKEY_METRICS_HOST',
    '127.0.0.1',
    anyText('an IP address or a host name', 'address'),
    {
      meaning: 'Address that LATCHKEY_METRICS_PORT listens on',
    },
  ),
  metricsToken: setting(
    'LATCHKEY_METRICS_TOKEN',
    null,
    matching(/^[\x21-\x7e]{16,255}$/, '16 to 255 characters of ASCII without spaces', 'token'),
    {
      meaning: 'Serves /metrics for Prometheus on LATCHKEY_PORT, for requests with this bearer token',
      secret: true,
    },
  ),
  firstStart: setting('LATCHKEY_FIRST_START', 'auto', oneOf('where', 'auto', 'print', 'file'), {
    meaning:
      'Where a start puts the first API key and the link that sets up the console: print; file (first-start.txt in the data directory); auto: the file if the output goes to the systemd journal',
  }),
  logLevel: setting('LATCHKEY_LOG_LEVEL', 'info', oneOf('level', ...LOG_LEVELS), {
    meaning: `One of ${LOG_LEVELS.join(', ')}`,
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Config = { [K in SettingName]: (typeof SETTINGS)[K]['value'] } & {
  /** The settings that a flag or a variable gives, even if it is their default. */
  given: readonly SettingName[];
};
