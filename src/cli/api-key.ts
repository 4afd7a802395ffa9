import type { Command } from 'commander';
import { hashCredential, hashCredentials, makeCredentials } from '../app/credentials.ts';
import { FIRST_USER } from '../app/set-up.ts';
import {
  API_KEY_PRESETS,
  type ApiKey,
  type ApiKeyLimits,
  ENDPOINTS,
  PERMISSIONS,
} from '../domain/api-key.ts';
import { toDatetime } from '../domain/datetime.ts';
import { datetime, flag, oneOf, optional, reference, text } from '../domain/fields.ts';
import type { Reads } from '../store/store.ts';
import { readExistingCredentials } from './existing-credentials.ts';
import { Failure, failureOf, invalidValues } from './failure.ts';
import { addShapeFlags, commaSeparated, type Meanings, readFlags, refuseFlags } from './flags.ts';
import { addExamples, addNotes } from './help.ts';
import type { Host } from './host.ts';
import { changing, OWNER, reading, styleOf } from './open.ts';
import { answer } from './output.ts';
import { presentApiKey } from './present.ts';
import { addCommonFlags, type Given } from './settings.ts';
import { printable, table } from './table.ts';

const createShape = {
  preset: optional(oneOf(['client'])),
  permission: optional(oneOf(PERMISSIONS)),
  endpoints: optional(commaSeparated(oneOf(ENDPOINTS))),
  products: optional(commaSeparated(reference())),
  expires: optional(datetime),
  description: optional(text({ max: 255 })),
  existing: optional(flag),
};
const MEANINGS: Meanings<typeof createShape> = {
  preset: [
    'name',
    'client: may activate, deactivate, validate and get updates; the only kind to ship in a program',
  ],
  permission: ['name', `${PERMISSIONS.join(', ')} (default: read_write)`],
  endpoints: ['names', 'Only these endpoints, separated by commas (default: all)'],
  products: ['ids', 'Only licenses and software of these products, separated by commas (default: all)'],
  expires: ['date', 'When it ends, UTC: "YYYY-MM-DD HH:MM:SS", YYYY-MM-DD or RFC 3339 (default: never)'],
  description: ['text', 'What it is for'],
  existing: ['', 'Take over a key and secret that clients have already: "ck_… cs_…" on standard input'],
};

export function addApiKeyCommands(program: Command, host: Host): void {
  const apiKey = program.command('api-key').description('Create, list and revoke API keys');
  addCreate(apiKey, host);
  addList(apiKey, host);
  addRevoke(apiKey, host);
}

function addCreate(apiKey: Command, host: Host): void {
  const command = apiKey.command('create').description('Create an API key; its secret is shown this once');
  addShapeFlags(command, createShape, MEANINGS);
  addCommonFlags(command);
  addNotes(command, `Endpoints: ${ENDPOINTS.join(', ')}`.replace(/(.{60,90}?) /g, '$1\n  '));
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
    return changing(host, given, async ({ execute, store, clock }) => {
      if (input.expires !== null && input.expires < toDatetime(clock()))
        throw invalidValues({ expires: `must be in the future; ${input.expires} UTC is past.` });
      const credentials = existing ? await readExistingCredentials(process.stdin) : makeCredentials();
      const made = await execute(
        'create-api-key',
        {
          ...hashCredentials(credentials),
          ...limitsOf(input),
          userId: FIRST_USER,
          description: description ?? '',
        },
        OWNER,
      );
      if (!made.ok) throw failureOf(made.refusal);
      const { consumerKey, consumerSecret } = credentials;
      const record = presentApiKey(await knownKey(store.read, made.value));
      if (existing)
        return answer(
          styleOf(given),
          record,
          () => `API key ${made.value} is made, of the key and secret given.`,
        );
      answer(styleOf(given), { ...record, consumer_key: consumerKey, consumer_secret: consumerSecret }, () =>
        [
          `API key ${made.value} is made. Its secret is shown this once and kept nowhere in clear:`,
          '',
          `  consumer key     ${consumerKey}`,
          `  consumer secret  ${consumerSecret}`,
        ].join('\n'),
      );
    });
  });
}

function limitsOf(input: {
  preset: 'client' | null;
  permission: ApiKey['permission'] | null;
  endpoints: ApiKey['endpoints'];
  products: ApiKey['products'];
  expires: string | null;
}): ApiKeyLimits {
  const { products, expires: expiresAt } = input;
  if (input.preset) return { ...API_KEY_PRESETS[input.preset], products, expiresAt };
  return { permission: input.permission ?? 'read_write', endpoints: input.endpoints, products, expiresAt };
}

async function knownKey(reads: Reads, id: number): Promise<ApiKey> {
  const found = (await reads.apiKeys.list()).find((one) => one.id === id);
  if (!found) throw failureOf({ reason: 'api_key_not_found', named: String(id) });
  return found;
}

function addList(apiKey: Command, host: Host): void {
  const command = apiKey.command('list').description('List API keys, newest first');
  addCommonFlags(command);
  addExamples(command, [
    ['All, revoked ones too', 'latchkey api-key list'],
    [
      'Ids of those never used, in a script',
      "latchkey api-key list --json | jq '.api_keys[] | select(.last_access_at == null) | .id'",
    ],
  ]);
  command.action((given: Given) =>
    reading(host, given, async ({ store }) => {
      const apiKeys = await store.read.apiKeys.list();
      answer(styleOf(given), { api_keys: apiKeys.map(presentApiKey) }, () =>
        apiKeys.length === 0 ? 'No API keys.' : apiKeyTable(apiKeys),
      );
    }),
  );
}

const apiKeyTable = (apiKeys: readonly ApiKey[]): string =>
  table(
    [
      'ID',
      'ENDING',
      'PERMISSION',
      'ENDPOINTS',
      'PRODUCTS',
      'EXPIRES (UTC)',
      'REVOKED (UTC)',
      'LAST ACCESS (UTC)',
      'DESCRIPTION',
    ],
    apiKeys.map((one) => [
      one.id,
      one.keyEnding,
      one.permission,
      endpointsOf(one),
      one.products?.join(',') ?? 'all',
      one.expiresAt ?? 'never',
      one.revokedAt,
      one.lastAccessAt,
      one.description,
    ]),
  );

function endpointsOf({ endpoints }: ApiKey): string {
  if (endpoints === null) return 'all';
  const preset = API_KEY_PRESETS.client.endpoints ?? [];
  const isPreset = endpoints.length === preset.length && preset.every((one) => endpoints.includes(one));
  return isPreset ? 'client preset' : endpoints.join(',');
}

function addRevoke(apiKey: Command, host: Host): void {
  const command = apiKey
    .command('revoke')
    .description('Revoke an API key for good; a running server refuses it from then on')
    .argument('<key>', 'Its id, the whole consumer key, or its ending as "list" shows it');
  addCommonFlags(command);
  addExamples(command, [
    ['By its id', 'latchkey api-key revoke 3'],
    ['By the ending of a consumer key that has leaked', 'latchkey api-key revoke 4f9c02e'],
  ]);
  command.action((named: string, given: Given) =>
    changing(host, given, async ({ execute, store }) => {
      const found = await findApiKey(store.read, named);
      if (found.revokedAt !== null) {
        const message = `API key ${found.id} is revoked already, since ${found.revokedAt} UTC.`;
        throw new Failure(1, 'api_key_revoked', message);
      }
      const revoked = await execute('revoke-api-key', { id: found.id }, OWNER);
      if (!revoked.ok) throw failureOf(revoked.refusal);
      const record = presentApiKey(await knownKey(store.read, found.id));
      answer(
        styleOf(given),
        record,
        () => `API key ${found.id}, ending in ${found.keyEnding}, is revoked: it is refused from now on.`,
      );
    }),
  );
}

async function findApiKey(reads: Reads, named: string): Promise<ApiKey> {
  const whole = await reads.apiKeys.findByHash(hashCredential(named));
  if (whole) return whole;
  const all = await reads.apiKeys.list();
  // An ending of digits only may look like an id; ids are what the list is made to be revoked by.
  const byId = all.find(({ id }) => String(id) === named);
  if (byId) return byId;
  const [first, ...others] = all.filter(({ keyEnding }) => keyEnding === named);
  if (first && others.length === 0) return first;
  if (!first) throw failureOf({ reason: 'api_key_not_found', named });
  const ids = [first, ...others].map(({ id }) => id).join(', ');
  const message = `Several API keys end in ${printable(named)}; name the one you mean by its id: ${ids}.`;
  throw new Failure(1, 'api_key_ambiguous', message);
}
