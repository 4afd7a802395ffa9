import type { Command } from 'commander';
import { hashCredential, hashCredentials, makeCredentials } from '../../app/api-keys/credentials.ts';
import { type ApiKey, DEFAULT_GRACE, endOfGrace, grace } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { optional } from '../../domain/fields.ts';
import { failureOf } from '../failure.ts';
import { addShapeFlags, type Meanings, readFlags } from '../flags.ts';
import { addExamples } from '../help.ts';
import { changing, OWNER } from '../open.ts';
import { answer } from '../output.ts';
import { presentApiKey } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given, settingsOf } from '../settings.ts';
import { credentialLines } from './api-key-create.ts';
import { findApiKey, knownKey, NAMED } from './api-key-named.ts';

const shape = { grace: optional(grace) };
const MEANINGS: Meanings<typeof shape> = {
  grace: [
    'time',
    `How long the old key stays good: 90m, 12h, 7d; 0 revokes it now (default: ${DEFAULT_GRACE})`,
  ],
};

export function addRotate(apiKey: Command, run: Run): void {
  const command = apiKey
    .command('rotate')
    .description('Replace an API key by a new one with the same rights; the old one stays good for a while')
    .argument('<key>', NAMED);
  addShapeFlags(command, shape, MEANINGS);
  addCommonFlags(command);
  addExamples(command, [
    [
      'A key that has leaked, while the next release with the new one goes out',
      'latchkey api-key rotate 3 --grace 30d',
    ],
    ['A key that is being abused: the old one is refused from now on', 'latchkey api-key rotate 3 --grace 0'],
  ]);
  command.action((named: string, given: Given) => {
    const ms = readFlags(shape, given, { grace: DEFAULT_GRACE }).grace ?? 0;
    return changing(run, async ({ execute, store, clock }) => {
      const old = await findApiKey(store.read, named);
      const credentials = makeCredentials();
      const endsAt = endOfGrace(ms, clock());
      const input = { id: old.id, ...hashCredentials(credentials), endsAt };
      const made = await execute('rotate-api-key', input, OWNER);
      if (!made.ok) throw failureOf(made.refusal);
      const isConfigured = await isOfSettings(run, old, store.read);
      const ended = await knownKey(store.read, old.id);
      const record = {
        ...presentApiKey(await knownKey(store.read, made.value)),
        consumer_key: credentials.consumerKey,
        consumer_secret: credentials.consumerSecret,
        replaces: { id: old.id, expires_at: ended.expiresAt, revoked_at: ended.revokedAt },
      };
      answer(run, record, () =>
        [
          `API key ${made.value} replaces ${old.id}. Its secret is shown this once and kept nowhere in clear:`,
          '',
          ...credentialLines(credentials),
          '',
          endOf(ended),
          ...(isConfigured ? [SETTINGS_NOTE] : []),
        ].join('\n'),
      );
    });
  });
}

const endOf = ({ id, keyEnding, expiresAt, revokedAt }: ApiKey): string =>
  revokedAt === null
    ? `API key ${id}, ending in ${keyEnding}, is good until ${expiresAt as Datetime} UTC.`
    : `API key ${id}, ending in ${keyEnding}, is revoked: it is refused from now on.`;

const SETTINGS_NOTE =
  'It is the key of LATCHKEY_CONSUMER_KEY: set that and LATCHKEY_CONSUMER_SECRET to the new pair, on every node.';

/** Whether it is the key that this environment makes at a start. */
async function isOfSettings(
  run: Run,
  old: ApiKey,
  reads: Parameters<typeof findApiKey>[0],
): Promise<boolean> {
  const { consumerKey } = settingsOf(run).config;
  if (consumerKey === null) return false;
  return (await reads.apiKeys.findByHash(hashCredential(consumerKey)))?.id === old.id;
}
