import type { Credentials } from '../app/api-keys/credentials.ts';
import { type Config, consoleAddress, localAddress } from '../config/config.ts';

/**
 * Returns the texts that a start prints: the addresses, and, if there are any, the secrets that a first request needs: the
 * link that sets up the console, and the first API key.
 */
export function welcome(start: {
  config: Pick<Config, 'host' | 'restPrefix' | 'baseUrl'>;
  port: number;
  first: Credentials | null;
  /** The token of the link that sets up the console; null if there is an owner. */
  setupToken: string | null;
  /** How to run a command. */
  command: string;
}) {
  const { config, port, first, setupToken, command } = start;
  const local = localAddress(config, port);
  const address = config.baseUrl ?? local;
  const api = `${config.restPrefix}/dlm/v1`;
  const addresses = [
    '',
    `  Latchkey is listening on ${local}`,
    '',
    `  API root       ${address}/${api}`,
    `  Documentation  ${address}/docs`,
    ...(setupToken === null ? [`  Console        ${consoleAddress(config, port)}`] : []),
    `  Commands       ${command} --help`,
    '',
  ];
  const secrets: string[] = [];
  if (setupToken !== null) {
    const link = `${consoleAddress(config, port)}/setup#${setupToken}`;
    secrets.push('  Set up the console with this link, which works once, for a day:', '', `    ${link}`, '');
  }
  if (first) {
    secrets.push(
      '  Your first API key, shown only once:',
      '',
      `    consumer key     ${first.consumerKey}`,
      `    consumer secret  ${first.consumerSecret}`,
      '',
      '  Create a license:',
      '',
      `    curl -u ${first.consumerKey}:${first.consumerSecret} ${local}/${api}/licenses -d license_key=FIRST-KEY -d valid_for=365 -d status=active -d activations_limit=3`,
      '',
    );
  }
  return { addresses: addresses.join('\n'), secrets: secrets.join('\n') };
}

/** Returns the text that says in which file the secrets are. */
export const secretsElsewhere = (path: string): string =>
  [
    '  What you need to start is in a file, to keep secrets out of the log:',
    '',
    `    ${path}`,
    '',
    '  Read it, then delete it.',
    '',
  ].join('\n');
