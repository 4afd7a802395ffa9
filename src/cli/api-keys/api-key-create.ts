import type { Command } from 'commander';
import { type Credentials, hashCredentials, makeCredentials } from '../../app/api-keys/credentials.ts';
import { FIRST_USER } from '../../app/people/set-up.ts';
import { API_KEY_DEFAULTS, API_KEY_PRESETS, type ApiKeyLimits, endProblem } from '../../domain/api-key.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { flag, oneOf, optional, withDefaults } from '../../domain/fields.ts';
import { inWords } from '../../words/problems.ts';
import { failureOf, invalidValues } from '../failure.ts';
import { addShapeFlags, type Meanings, readFlags, refuseFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { changing, OWNER } from '../open.ts';
import { answer } from '../output.ts';
import { presentApiKey } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { API_KEY_MEANINGS, apiKeyFlagShape, ENDPOINTS_NOTE } from './api-key-flags.ts';
import { knownKey } from './api-key-named.ts';
import { readExistingCredentials } from './existing-credentials.ts';

const createShape = {
  preset: optional(oneOf(['client'])),
  ...apiKeyFlagShape,
  existing: optional(flag),
};
const MEANINGS: Meanings<typeof createShape> = {
  preset: [
    'name',
    'client: may activate, deactivate, validate and get updates; the only kind to ship in a program',
  ],
  ...API_KEY_MEANINGS,
  existing: ['', 'Take over a key and secret that clients have already: "ck_… cs_…" on standard input'],
};

export function addCreate(apiKey: Command, run: Run): void {
  const command = apiKey.command('create').description('Create an API key; its secret is shown this once');
  addShapeFlags(command, createShape, MEANINGS);
  addCommonFlags(command);
  addNotes(command, ENDPOINTS_NOTE);
  addExamples(command, [
    ['For a shop, with every right', 'latchkey api-key create --description "Shop"'],
    [
      'To ship inside a program that checks its license',
      'latchkey api-key create --preset client --products 7 --description "Acme Editor 3"',
    ],
    [
      'To keep programs working that carry a key of the plugin',
      'latchkey api-key create --preset client --existing < credentials.txt',
    ],
    [
      'To look licenses up, for a year',
      'latchkey api-key create --permission read --endpoints licenses.list,licenses.get --expires 2027-12-31',
    ],
  ]);
  command.action((given: Given) => {
    const { description, existing, ...input } = readFlags(createShape, given);
    if (input.preset)
      refuseFlags(given, ['permission', 'endpoints'], 'cannot be combined with --preset, which sets it');
    return changing(run, async ({ execute, store, clock }) => {
      const expires = endProblem(input.expires, toDatetime(clock()));
      if (expires !== null) throw invalidValues({ expires: inWords(expires) });
      const credentials = existing ? await readExistingCredentials(run.io.stdin) : makeCredentials();
      const made = await execute(
        'create-api-key',
        {
          ...hashCredentials(credentials),
          ...limitsFrom(input),
          userId: FIRST_USER,
          description: description ?? '',
        },
        OWNER,
      );
      if (!made.ok) throw failureOf(made.refusal);
      const { consumerKey, consumerSecret } = credentials;
      const record = presentApiKey(await knownKey(store.read, made.value));
      if (existing)
        return answer(run, record, () => `API key ${made.value} is made, of the key and secret given.`);
      answer(run, { ...record, consumer_key: consumerKey, consumer_secret: consumerSecret }, () =>
        [
          `API key ${made.value} is made. Its secret is shown this once and kept nowhere in clear:`,
          '',
          ...credentialLines(credentials),
        ].join('\n'),
      );
    });
  });
}

function limitsFrom({
  preset,
  expires: expiresAt,
  ...input
}: Omit<ApiKeyLimits, 'permission' | 'expiresAt'> & {
  preset: 'client' | null;
  permission: ApiKeyLimits['permission'] | null;
  expires: string | null;
}): ApiKeyLimits {
  return withDefaults({ ...input, ...(preset && API_KEY_PRESETS[preset]), expiresAt }, API_KEY_DEFAULTS);
}

/** The pair as it is shown, once. */
export const credentialLines = ({ consumerKey, consumerSecret }: Credentials): string[] => [
  `  consumer key     ${consumerKey}`,
  `  consumer secret  ${consumerSecret}`,
];
