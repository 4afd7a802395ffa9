import { fileVariableOf, flagOf, SETTINGS, type SettingName } from '../../src/config/config.ts';
import { anchorOf, escaped, GENERATED, links } from './markdown.ts';

/** Every setting, by its subject. */
const SUBJECTS: Readonly<Record<string, readonly SettingName[]>> = {
  'Address and processes': [
    'port',
    'host',
    'baseUrl',
    'restPrefix',
    'trustProxy',
    'corsOrigins',
    'clientApi',
    'workers',
  ],
  Data: ['dataDir', 'masterKey', 'nextMasterKey', 'historyKeep', 'trashDays'],
  PostgreSQL: [
    ...['databaseUrl', 'databaseConnections', 'databasePooler', 'databaseReplicaUrl'],
    'databaseReplicaReads',
  ] as SettingName[],
  'Events and webhooks': ['webhookNetworks', 'eventDays', 'expiringDays'],
  'Release files': [
    ...['s3Bucket', 's3Endpoint', 's3Region', 's3Prefix', 's3AccessKeyId', 's3SecretAccessKey'],
    ...['s3Downloads', 'downloadHours', 'downloadDays'],
  ] as SettingName[],
  'First API key': ['consumerKey', 'consumerSecret', 'firstStart'],
  Limits: ['rateLimit', 'apiKeyRateLimit', 'failureLimit', 'signInLimit', 'maxConnections'],
  Backups: ['backupHours', 'backupDir', 'backupKeep'],
  'Log and metrics': ['logLevel', 'metricsPort', 'metricsHost', 'metricsToken'],
  Moving: ['moveTo', 'moveInDatabase', 'pluginDefuse', 'pluginSecret'],
};

const INTRODUCTION = `# Settings

Latchkey reads each setting from the first of these that gives it:

1. a flag of the command, such as \`--port 9000\`; secrets have none, because every user of a machine can list the command
   lines of its programs;
2. an environment variable, such as \`LATCHKEY_PORT=9000\`;
3. the [configuration file](#configuration-file);
4. the default.

An empty value counts as absent. An invalid value stops the command with one line that names it. Latchkey warns about
a variable that begins with \`LATCHKEY_\` but is not a setting, in the log of the server and on the standard error of other
commands.

## Configuration file

\`--config FILE\`, or the variable \`LATCHKEY_CONFIG\`, names a file of lines like those of systemd's \`EnvironmentFile=\`. There
is no default place: only the command that the Debian package installs reads \`/etc/latchkey/latchkey.env\` by itself.

\`\`\`ini
# A comment
LATCHKEY_BASE_URL=https://licenses.example.com
LATCHKEY_PLUGIN_SECRET="a value with a #"
\`\`\`

Each line is a variable of this page; put a value that contains \`#\` in quotes. An unknown name is an error that names the
line. If the file holds a secret and every user of the machine can read it, commands warn.

## Secrets in files

Each secret \`LATCHKEY_X\` may instead come from a file that \`LATCHKEY_X_FILE\` names, without one newline at its end. This
fits Docker and Kubernetes secrets, and systemd credentials:

\`\`\`ini
[Service]
LoadCredential=master-key:/etc/latchkey/master-key
Environment=LATCHKEY_MASTER_KEY_FILE=%d/master-key
\`\`\`

Only the service gets such a credential, not \`sudo latchkey\`. With the Debian package, name the file in
\`/etc/latchkey/latchkey.env\` instead, and let the group \`latchkey\` read it.

Setting both is an error.`;

/** Returns the text of docs/reference/settings.md. */
export function settingsPage(): string {
  const placed = new Set(Object.values(SUBJECTS).flat());
  const missing = (Object.keys(SETTINGS) as SettingName[]).filter((name) => !placed.has(name));
  if (missing.length > 0)
    throw new Error(`tools/docs/settings-page.ts has no subject for: ${missing.join(', ')}`);
  const contents = Object.entries(SUBJECTS).map(
    ([subject, names]) =>
      `- [${subject}](#${anchorOf(subject)}): ${links(names.map((name) => SETTINGS[name].env))}`,
  );
  const sections = Object.entries(SUBJECTS).map(([subject, names]) =>
    [`## ${subject}`, ...names.map(sectionOf)].join('\n\n'),
  );
  return `${[GENERATED, INTRODUCTION, `## All settings\n\n${contents.join('\n')}`, ...sections].join('\n\n')}\n`;
}

function sectionOf(name: SettingName): string {
  const { env, value, values, meaning, fallback, ...about } = SETTINGS[name];
  const isSecret = 'secret' in about;
  // Whether the default is a value, not a description of what happens without one.
  const isValue = value !== null && value !== '' && [String(value), 'no'].includes(fallback);
  const lines = [
    `- Value: ${escaped(values.form)}`,
    `- Default: ${isValue ? `\`${fallback}\`` : escaped(fallback)}`,
    isSecret
      ? `- Secret: no flag; \`${fileVariableOf(name)}\` names a file with it`
      : `- Flag: \`--${flagOf(name)} <${values.placeholder}>\``,
  ];
  return `### ${env}\n\n${linked(escaped(meaning))}.\n\n${lines.join('\n')}`;
}

/** Turns the names of settings into links. */
const linked = (text: string): string => text.replace(/LATCHKEY_[A-Z0-9_]+/g, (name) => links([name]));
