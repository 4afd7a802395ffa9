import type { Credentials } from './app/credentials.ts';
import type { Config } from './config.ts';

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
}): string {
  const { config, port, first } = start;
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
  const local = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const root = `${local}/${config.restPrefix}/dlm/v1`;
  const lines = [
    '',
    `  Latchkey is listening on ${local}`,
    '',
    `  API root       ${config.baseUrl ? `${config.baseUrl}/${config.restPrefix}/dlm/v1` : root}`,
    `  Documentation  ${local}/docs`,
    '',
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
