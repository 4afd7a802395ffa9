import { text as readAll } from 'node:stream/consumers';
import { type Credentials, hashCredentials, makeCredentials } from '../../app/api-keys/credentials.ts';
import { FIRST_USER } from '../../domain/actor.ts';
import {
  API_KEY_DEFAULTS,
  apiKeyShape,
  CLIENT_PRESET,
  ENDPOINTS,
  endProblem,
  isConsumerKey,
  isConsumerSecret,
  PERMISSIONS,
} from '../../domain/api-key.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { oneOf, optional, reference, withDefaults } from '../../domain/fields.ts';
import { inWords } from '../../words/problems.ts';
import { define, listNote } from '../define.ts';
import { invalidValues, orFail } from '../failure.ts';
import { commaSeparated, DATE_FORMS, flagsOf, refuseFlags, toggle } from '../flags.ts';
import { creating, OWNER } from '../open.ts';
import { answer } from '../output.ts';
import { presentApiKey } from '../present.ts';
import { credentialLines, knownKey } from './api-key-named.ts';

/** Flags that set the limits of an API key. */
export const apiKeyFlags = flagsOf(
  {
    permission: apiKeyShape.permission,
    endpoints: optional(commaSeparated(oneOf(ENDPOINTS))),
    products: optional(commaSeparated(reference())),
    compatibility: apiKeyShape.compatibility,
    lmfwcVersion: apiKeyShape.lmfwcVersion,
    expires: apiKeyShape.expiresAt,
    description: apiKeyShape.description,
  },
  {
    permission: ['name', `${PERMISSIONS.join(', ')} (default: read_write)`],
    endpoints: ['names', 'Only these endpoints, separated by commas (default: all)'],
    products: ['ids', 'Only licenses and software of these products, separated by commas (default: all)'],
    compatibility: [
      'name',
      'documented, or plugin: answer as Digital License Manager does where that differs (default: documented)',
    ],
    lmfwcVersion: [
      'number',
      '2 or 3: the version of License Manager for WooCommerce that lmfwc/v2 answers like (default: 3)',
    ],
    expires: ['date', `When it expires, UTC: ${DATE_FORMS} (default: never)`],
    description: ['text', 'What it is used for'],
  },
);

/** Help text that lists the endpoints, for commands with `apiKeyFlags`. */
export const ENDPOINTS_NOTE = listNote('Endpoints', ENDPOINTS);

/** Refuses an expiry in the past. @throws Failure */
export function refusePast(expires: string | null, clock: () => number): void {
  const problem = endProblem(expires, toDatetime(clock()));
  if (problem !== null) throw invalidValues({ expires: inWords(problem) });
}

export const create = define({
  name: 'create',
  description: 'Create an API key; its secret is shown only once',
  flags: {
    ...flagsOf(
      { preset: optional(oneOf(['client'])) },
      {
        preset: [
          'name',
          'client: may look up a license by its key, activate, deactivate, validate and get updates; the only kind to ship in a program',
        ],
      },
    ),
    ...apiKeyFlags,
    existing: toggle('Import a key and secret that clients use already: "ck_… cs_…" on standard input'),
  },
  notes: ENDPOINTS_NOTE,
  examples: {
    'For a shop, with full permission': 'latchkey api-key create --description "Shop"',
    'To ship in a program that checks its license':
      'latchkey api-key create --preset client --products 7 --description "Acme Editor 3"',
    'To keep programs working that ship a key of the plugin':
      'latchkey api-key create --preset client --compatibility plugin --existing < credentials.txt',
    'To look up licenses, until the end of 2027':
      'latchkey api-key create --permission read --endpoints licenses.list,licenses.get --expires 2028-01-01',
  },
  async action({ run, values: { description, existing, preset, expires, ...values } }) {
    if (preset)
      refuseFlags(run.given, ['permission', 'endpoints'], 'cannot be combined with --preset, which sets it');
    await creating(run, async ({ execute, store, clock }) => {
      refusePast(expires, clock);
      const credentials = existing ? await readExisting(run.io.stdin) : makeCredentials();
      const input = {
        ...hashCredentials(credentials),
        ...withDefaults({ ...values, ...(preset && CLIENT_PRESET), expiresAt: expires }, API_KEY_DEFAULTS),
        userId: FIRST_USER,
        description: description ?? '',
      };
      const id = orFail(await execute('create-api-key', input, OWNER));
      const record = presentApiKey(await knownKey(store.read, id));
      if (existing) return answer(run, record, () => `Created API key ${id} from the given key and secret.`);
      const { consumerKey, consumerSecret } = credentials;
      answer(run, { ...record, consumer_key: consumerKey, consumer_secret: consumerSecret }, () => [
        `Created API key ${id}. Its secret is shown only once, and is not stored:`,
        ...['', ...credentialLines(credentials)],
      ]);
    });
  },
});

/**
 * Reads a consumer key and secret, separated by white space or a colon, from standard input: process lists and the
 * shell history would show flags.
 * @throws Failure, which does not repeat them
 */
async function readExisting(input: NodeJS.ReadableStream): Promise<Credentials> {
  const [consumerKey = '', consumerSecret = '', ...more] = (await readAll(input)).trim().split(/[\s:]+/);
  if (more.length > 0 || !isConsumerKey(consumerKey) || !isConsumerSecret(consumerSecret)) {
    throw invalidValues({
      existing:
        'needs "ck_… cs_…" on standard input: a consumer key and its secret, each with 16 to 128 letters and digits.',
    });
  }
  return { consumerKey, consumerSecret };
}
