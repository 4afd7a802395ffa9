import type { Credentials } from '../app/api-keys/credentials.ts';
import { type Config, consoleAddress, localAddress } from '../config/config.ts';

/** What a start prints: its addresses, and at the first start all that a first request needs. */
export function welcome(start: {
  config: Pick<Config, 'host' | 'restPrefix' | 'baseUrl'>;
  port: number;
  first: Credentials | null;
  /** The token of the link that sets up the console; null if there is an owner. */
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
      : ['  Set up the console with this link, which works once, for a day:', '', `    ${link}`, '']),
  ];
  if (first) {
    lines.push(
      '  Your first API key, shown only once:',
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
