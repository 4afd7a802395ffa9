import { flagOf, SETTINGS, type SettingName } from '../../src/config/config.ts';
import { anchorOf, escaped, GENERATED, links } from './markdown.ts';

/** Every setting, by its subject. */
const SUBJECTS: Readonly<Record<string, readonly SettingName[]>> = {
  'Address and processes': ['port', 'host', 'baseUrl', 'restPrefix', 'trustProxy', 'corsOrigins', 'workers'],
  Data: ['dataDir', 'masterKey', 'nextMasterKey', 'historyKeep'],
  PostgreSQL: [
    ...['databaseUrl', 'databaseConnections', 'databasePooler', 'databaseReplicaUrl'],
    'databaseReplicaReads',
  ] as SettingName[],
  'Release files': [
    ...['s3Bucket', 's3Endpoint', 's3Region', 's3Prefix', 's3AccessKeyId', 's3SecretAccessKey'],
    ...['s3Downloads', 'downloadHours', 'downloadDays'],
  ] as SettingName[],
  'First API key': ['consumerKey', 'consumerSecret'],
  Limits: ['rateLimit', 'apiKeyRateLimit', 'failureLimit', 'signInLimit', 'maxConnections'],
  Backups: ['backupHours', 'backupDir', 'backupKeep'],
  Log: ['logLevel'],
  Moving: ['moveTo', 'moveInDatabase', 'pluginDefuse', 'pluginSecret'],
};

const INTRODUCTION = `# Settings

Settings are environment variables. All but secrets are also flags of the same name (\`--port 9000\`), which precede
variables. An empty value counts as absent. An invalid value stops the command with one line that names it.`;

/** docs/reference/settings.md */
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
  return `${[GENERATED, INTRODUCTION, contents.join('\n'), ...sections].join('\n\n')}\n`;
}

function sectionOf(name: SettingName): string {
  const { env, value, values, meaning, fallback, ...about } = SETTINGS[name];
  const isSecret = 'secret' in about;
  // A default that is a value, not a description of what happens without one.
  const isValue = value !== null && value !== '' && [String(value), 'no'].includes(fallback);
  const lines = [
    `- Value: ${escaped(values.form)}`,
    `- Default: ${isValue ? `\`${fallback}\`` : escaped(fallback)}`,
    isSecret ? '- Secret: no flag, never shown' : `- Flag: \`--${flagOf(name)} <${values.placeholder}>\``,
  ];
  return `### ${env}\n\n${linked(escaped(meaning))}.\n\n${lines.join('\n')}`;
}

/** Makes links of the names of settings. */
const linked = (text: string): string => text.replace(/LATCHKEY_[A-Z0-9_]+/g, (name) => links([name]));
