import { hashCredential } from '../../app/api-keys/credentials.ts';
import { API_KEY_DEFAULTS, type ApiKey, CLIENT_PRESET } from '../../domain/api-key.ts';
import { withDefaults } from '../../domain/fields.ts';
import { define, group } from '../define.ts';
import { orFail } from '../failure.ts';
import { refuseNoChange } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { presentApiKey } from '../present.ts';
import { settingsOf } from '../settings.ts';
import { table } from '../table.ts';
import { apiKeyFlags, create, ENDPOINTS_NOTE, refusePast } from './api-key-create.ts';
import { findApiKey, knownKey, NAMED, nameOf, revokedLine } from './api-key-named.ts';
import { rotate } from './api-key-rotate.ts';

const list = define({
  name: 'list',
  description: 'List API keys, newest first',
  examples: {
    'All keys, including revoked ones': 'latchkey api-key list',
    'Ids of keys that were never used, in a script':
      "latchkey api-key list --json | jq '.api_keys[] | select(.last_access_at == null) | .id'",
  },
  action: ({ run }) =>
    opening(run, async ({ store }) => {
      const apiKeys = await store.read.apiKeys.list();
      answer(run, { api_keys: apiKeys.map(presentApiKey) }, () =>
        apiKeys.length === 0
          ? 'No API keys.'
          : table(apiKeys, {
              ID: 'id',
              SUFFIX: 'keyEnding',
              PERMISSION: 'permission',
              ENDPOINTS: endpointsOf,
              PRODUCTS: ({ products }) => products?.join(',') ?? 'all',
              COMPATIBILITY: ({ compatibility, lmfwcVersion }) =>
                lmfwcVersion === API_KEY_DEFAULTS.lmfwcVersion
                  ? compatibility
                  : `${compatibility}, lmfwc ${lmfwcVersion}`,
              'EXPIRES (UTC)': ({ expiresAt }) => expiresAt ?? 'never',
              'REVOKED (UTC)': 'revokedAt',
              'LAST ACCESS (UTC)': 'lastAccessAt',
              DESCRIPTION: 'description',
            }),
      );
    }),
});

function endpointsOf({ endpoints }: ApiKey): string {
  if (endpoints === null) return 'all';
  const preset = CLIENT_PRESET.endpoints;
  const isPreset = endpoints.length === preset.length && preset.every((one) => endpoints.includes(one));
  return isPreset ? 'client preset' : endpoints.join(',');
}

const update = define({
  name: 'update',
  description: 'Change the limits of an API key; a running server applies them at once',
  argument: NAMED,
  changes: apiKeyFlags,
  notes: ENDPOINTS_NOTE,
  examples: {
    'Other products for a shop': 'latchkey api-key update 3 --products 7,8',
    'For all products, without an expiry date': 'latchkey api-key update 3 --clear products,expires',
  },
  async action({ run, changes: { expires, ...rest } }, named) {
    const changes = withDefaults(
      { ...rest, ...(expires !== undefined && { expiresAt: expires }) },
      API_KEY_DEFAULTS,
    );
    refuseNoChange(changes);
    const { consumerKey } = settingsOf(run);
    const configuredKey = consumerKey === null ? null : hashCredential(consumerKey);
    await opening(run, async ({ execute, store, clock }) => {
      refusePast(expires ?? null, clock);
      const found = await findApiKey(store.read, named);
      orFail(await execute('update-api-key', { id: found.id, changes, configuredKey }, OWNER));
      const record = presentApiKey(await knownKey(store.read, found.id));
      answer(run, record, () => `${nameOf(found)} is changed, effective immediately.`);
    });
  },
});

const revoke = define({
  name: 'revoke',
  description: 'Revoke an API key permanently; a running server refuses it at once',
  argument: NAMED,
  examples: {
    'By its id': 'latchkey api-key revoke 3',
    'By the suffix of a consumer key that has leaked': 'latchkey api-key revoke 4f9c02e',
  },
  action: ({ run }, named) =>
    opening(run, async ({ execute, store }) => {
      const found = await findApiKey(store.read, named);
      orFail(await execute('revoke-api-key', { id: found.id }, OWNER));
      const record = presentApiKey(await knownKey(store.read, found.id));
      answer(run, record, () => revokedLine(found));
    }),
});

export const apiKeyCommands = group('api-key', 'Create, list, change, rotate and revoke API keys', [
  ...[create, list, update, rotate, revoke],
]);
