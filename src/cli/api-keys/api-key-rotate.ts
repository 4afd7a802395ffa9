import { hashCredential, hashCredentials, makeCredentials } from '../../app/api-keys/credentials.ts';
import { DEFAULT_GRACE, endOfGrace, grace } from '../../domain/api-key.ts';
import { required } from '../../domain/fields.ts';
import { define } from '../define.ts';
import { orFail } from '../failure.ts';
import { flagsOf } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { presentApiKey } from '../present.ts';
import { settingsOf } from '../settings.ts';
import { credentialLines, findApiKey, knownKey, NAMED, nameOf, revokedLine } from './api-key-named.ts';

export const rotate = define({
  name: 'rotate',
  description:
    'Replace an API key with a new one of the same permissions; the old one stays valid for a while',
  argument: NAMED,
  flags: flagsOf(
    { grace: required(grace) },
    {
      grace: [
        'time',
        `How long the old key stays valid: 90m, 12h, 7d; 0 revokes it now (default: ${DEFAULT_GRACE})`,
      ],
    },
  ),
  defaults: { grace: DEFAULT_GRACE },
  examples: {
    'A key that has leaked: the old one is refused at once': 'latchkey api-key rotate 3 --grace 0',
    'A key that is shipped in a program, while a release with the new key rolls out':
      'latchkey api-key rotate 3 --grace 30d',
  },
  action: ({ run, values }, named) =>
    opening(run, async ({ execute, store: { read }, clock }) => {
      const { id } = await findApiKey(read, named);
      const credentials = makeCredentials();
      const input = { id, ...hashCredentials(credentials), endsAt: endOfGrace(values.grace, clock()) };
      const made = orFail(await execute('rotate-api-key', input, OWNER));
      const [old, replacement] = [await knownKey(read, id), await knownKey(read, made)];
      const { consumerKey: configured } = settingsOf(run);
      const isConfigured =
        configured !== null && (await read.apiKeys.findByHash(hashCredential(configured)))?.id === id;
      const record = {
        ...presentApiKey(replacement),
        consumer_key: credentials.consumerKey,
        consumer_secret: credentials.consumerSecret,
        replaces: { id, expires_at: old.expiresAt, revoked_at: old.revokedAt },
      };
      answer(run, record, () => [
        `API key ${made} replaces ${id}. Its secret is shown only once, and is not stored:`,
        ...['', ...credentialLines(credentials), ''],
        old.revokedAt === null ? `${nameOf(old)} stays valid until ${old.expiresAt} UTC.` : revokedLine(old),
        ...(isConfigured ? [SETTINGS_NOTE] : []),
      ]);
    }),
});

const SETTINGS_NOTE =
  'LATCHKEY_CONSUMER_KEY holds the old key: set it and LATCHKEY_CONSUMER_SECRET to the new pair, on every node.';
