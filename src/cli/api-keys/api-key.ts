import type { Command } from 'commander';
import { API_KEY_PRESETS, type ApiKey } from '../../domain/api-key.ts';
import { refusal } from '../../domain/refusal.ts';
import { failureOf } from '../failure.ts';
import { addExamples } from '../help.ts';
import { changing, OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentApiKey } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags } from '../settings.ts';
import { table } from '../table.ts';
import { addCreate } from './api-key-create.ts';
import { findApiKey, knownKey, NAMED } from './api-key-named.ts';
import { addRotate } from './api-key-rotate.ts';
import { addUpdate } from './api-key-update.ts';

export function addApiKeyCommands(program: Command, run: Run): void {
  const apiKey = program.command('api-key').description('Create, list, change, rotate and revoke API keys');
  addCreate(apiKey, run);
  addList(apiKey, run);
  addUpdate(apiKey, run);
  addRotate(apiKey, run);
  addRevoke(apiKey, run);
}

function addList(apiKey: Command, run: Run): void {
  const command = apiKey.command('list').description('List API keys, newest first');
  addCommonFlags(command);
  addExamples(command, [
    ['All, revoked ones too', 'latchkey api-key list'],
    [
      'Ids of those never used, in a script',
      "latchkey api-key list --json | jq '.api_keys[] | select(.last_access_at == null) | .id'",
    ],
  ]);
  command.action(() =>
    reading(run, async ({ store }) => {
      const apiKeys = await store.read.apiKeys.list();
      answer(run, { api_keys: apiKeys.map(presentApiKey) }, () =>
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

function addRevoke(apiKey: Command, run: Run): void {
  const command = apiKey
    .command('revoke')
    .description('Revoke an API key for good; a running server refuses it from then on')
    .argument('<key>', NAMED);
  addCommonFlags(command);
  addExamples(command, [
    ['By its id', 'latchkey api-key revoke 3'],
    ['By the ending of a consumer key that has leaked', 'latchkey api-key revoke 4f9c02e'],
  ]);
  command.action((named: string) =>
    changing(run, async ({ execute, store }) => {
      const found = await findApiKey(store.read, named);
      if (found.revokedAt !== null)
        throw failureOf(refusal('api_key_revoked', { id: found.id, since: found.revokedAt }));
      const revoked = await execute('revoke-api-key', { id: found.id }, OWNER);
      if (!revoked.ok) throw failureOf(revoked.refusal);
      const record = presentApiKey(await knownKey(store.read, found.id));
      answer(
        run,
        record,
        () => `API key ${found.id}, ending in ${found.keyEnding}, is revoked: it is refused from now on.`,
      );
    }),
  );
}
