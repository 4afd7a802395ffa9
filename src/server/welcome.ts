import type { Credentials } from '../app/api-keys/credentials.ts';
import { type Config, consoleAddress, localAddress } from '../config/config.ts';

/** Said once, by the start that makes the file, whether or not it can listen afterwards. */
export const masterKeyNotice = (file: string, { databaseUrl }: Pick<Config, 'databaseUrl'>): string =>
  [
    '',
    `  All license keys are encrypted under ${file}.`,
    '  Back that file up, apart from the database: without it no license can ever be read again.',
    ...(databaseUrl === null ? [] : ['  Every other node of this database needs the same key.']),
  ].join('\n');

/** What a start says to the person before it: where, and at the first start everything needed for a first call. */
export function welcome(start: {
  config: Pick<Config, 'host' | 'restPrefix' | 'baseUrl'>;
  port: number;
  first: Credentials | null;
  /** Of the link that sets up the console; null where an owner is named. */
  setupToken: string | null;
}): string {
  const { config, port, first, setupToken } = start;
  const local = localAddress(config, port);
  const root = `${local}/${config.restPrefix}/dlm/v1`;
  const link = `${consoleAddress(config, port)}/setup#${setupToken}`;
  const lines = [
    '',
    `  Latchkey is listening on ${local}`,
    '',
    `  API root       ${config.baseUrl ? `${config.baseUrl}/${config.restPrefix}/dlm/v1` : root}`,
    `  Documentation  ${local}/docs`,
    ...(setupToken === null ? [`  Console        ${consoleAddress(config, port)}`] : []),
    '',
    ...(setupToken === null
      ? []
      : ['  Set up the console, by this link, which is good once and for a day:', '', `    ${link}`, '']),
  ];
  if (first) {
    lines.push(
      '  Your first API key, shown this once:',
      '',
      `    consumer key     ${first.consumerKey}`,
      `    consumer secret  ${first.consumerSecret}`,
      '',
      '  Create a license:',
      '',
      `    curl -u ${first.consumerKey}:${first.consumerSecret} ${root}/licenses -d license_key=FIRST-KEY -d valid_for=365 -d status=active -d activations_limit=3`,
      '',
    );
  }
  return lines.join('\n');
}
