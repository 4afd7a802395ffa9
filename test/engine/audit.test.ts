import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { audit as german } from '../../console/messages/de/audit.ts';
import { audit as english } from '../../console/messages/en/audit.ts';
import type { AnyCommand } from '../../src/app/command.ts';
import { type CommandName, commands } from '../../src/app/commands.ts';
import type { Actor } from '../../src/domain/actor.ts';
import type { Usage } from '../../src/domain/audit.ts';
import { actor, audited, type Changes, created } from '../support/audited/audited.ts';
import { batchChanges } from '../support/audited/audited-batches.ts';
import { eventChanges } from '../support/audited/audited-events.ts';
import { licenseChanges } from '../support/audited/audited-licenses.ts';
import { userChanges } from '../support/audited/audited-users.ts';
import { changesOfPeople } from '../support/audited/of-people.ts';
import { runSql } from '../support/engine.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const { execute, store } = api.service;
const { entriesOf, must, newLicense, newGenerator, newSoftware, newApiKey, id, named, releaseOf } =
  audited(api);

const { fingerprint } = await store.read.masterKey.state();
const hashed = () => ({ keyHash: randomBytes(32), keyEnding: '1234567', secretHash: randomBytes(32) });
const someLicenses = async () => [await id(newLicense()), await id(newLicense())];
const newActivation = async (values = {}) => api.activation((await api.license(values)).license_key);
const oldApiKey = async () => Number(await must(newApiKey()));

const changes: Changes = {
  ...userChanges(api),
  ...batchChanges(api),
  ...licenseChanges(api),
  ...eventChanges(api),
  'create-api-key': [['api_key.create'], created.apiKey],
  'create-generator': [['generator.create'], created.generator],
  'create-license': [['license.create'], created.license],
  'create-release': [['release.create'], async () => created.release(await named(newSoftware()))],
  'create-software': [['software.create'], created.software],
  'delete-generator': [['generator.delete'], async () => ({ named: await named(newGenerator()) })],
  'delete-license': [['license.delete'], async () => ({ named: (await must(newLicense())).key })],
  'change-licenses': [
    ['license.update', 'license.update'],
    async () => ({ ids: await someLicenses(), change: { status: 5 } }),
  ],
  'delete-licenses': [['license.delete', 'license.delete'], async () => ({ ids: await someLicenses() })],
  'delete-activation': [['activation.delete'], async () => ({ id: (await newActivation()).id })],
  'reactivate-activation': [
    ['activation.reactivate'],
    async () => {
      const { id, token } = await newActivation();
      await api.ok('GET', `/licenses/deactivate/${token}`);
      return { id };
    },
  ],
  'hold-seat': [
    ['activation.extend'],
    async () => {
      const { id } = await newActivation({ seat_ttl: 600, borrow_max_hours: 24 });
      return { id, borrowHours: 24 };
    },
  ],
  'reveal-license-key': [['license.reveal'], async () => ({ id: await id(newLicense()) })],
  'record-license-export': [['license.export'], () => ({ filter: {}, columns: ['license_key'], count: 3 })],
  'delete-release': [['release.delete'], async () => ({ named: await releaseOf() })],
  'delete-software': [['software.delete'], async () => ({ named: await named(newSoftware()) })],
  'revoke-api-key': [['api_key.revoke'], async () => ({ id: await oldApiKey() })],
  'update-api-key': [
    ['api_key.update'],
    async () => ({ id: await oldApiKey(), changes: { products: [7] }, configuredKey: null }),
  ],
  'begin-master-key-rotation': [
    ['master_key.rotate'],
    () => ({ from: fingerprint, to: 'new', keyId: '00000000', bundles: {}, temporary: [] }),
  ],
  'finish-master-key-rotation': [
    ['master_key.retire'],
    async () => {
      await execute('switch-master-key', { to: 'new' }, actor);
      return { to: 'new' };
    },
  ],
  'rotate-api-key': [
    ['api_key.create', 'api_key.rotate'],
    async () => ({ id: await oldApiKey(), ...hashed(), endsAt: '2999-01-01 00:00:00' }),
  ],
  'make-signing-keys': [
    ['signing_key.create'],
    async () => {
      await runSql(api.dataDir, 'delete from signing_keys');
      return null;
    },
  ],
  'rotate-signing-key': [['signing_key.rotate'], () => ({ rootKey: null, revoke: false, onlyIfDue: false })],
  'use-spare-root': [['signing_key.use_spare'], () => ({ rootKey: null, keepOld: false, again: true })],
  'export-root-key': [
    ['signing_key.export_root'],
    async () => {
      const keys = await store.read.signingKeys.list();
      return { kid: String(keys.find(({ state }) => state === 'spare')?.kid) };
    },
  ],
  'set-up': [['api_key.create'], () => ({ first: null, configured: hashed() })],
  'update-generator': [
    ['generator.update'],
    async () => ({ named: await named(newGenerator()), changes: { name: 'other' } }),
  ],
  'update-license': [
    ['license.update'],
    async () => ({ named: (await must(newLicense())).key, changes: { status: 5 } }),
  ],
  'update-release': [
    ['release.update'],
    async () => ({ named: await releaseOf(), changes: { channel: 'beta' }, file: null }),
  ],
  'update-software': [
    ['software.update'],
    async () => ({ named: await named(newSoftware()), changes: { name: 'Other' } }),
  ],
};

const ofPeople = changesOfPeople(api);
const execution = (name: string, input: unknown, by: Actor) =>
  must(execute(name as CommandName, input as never, by));

const all: readonly AnyCommand[] = Object.values(commands);

suite('every command', () => {
  for (const { name } of all.filter(({ audit }) => audit === 'always'))
    test(`${name} writes an entry with user, time and origin`, async () => {
      const [actions, prepare] = changes[name as CommandName] ?? assert.fail('no case');
      const input = await prepare();
      const entries = await entriesOf(() => execution(name, input, actor));
      // No client has the key of the rotation: put the old fingerprint back.
      if (name === 'finish-master-key-rotation')
        await runSql(
          api.dataDir,
          `update meta set value = '${fingerprint}' where name = 'master_key_fingerprint';
           delete from meta where name = 'master_keys_retired'`,
        );
      assert.deepEqual(
        entries.map(({ action }) => action),
        actions,
      );
      for (const { at, userId, via, apiKeyId, origin } of entries) {
        assert.deepEqual(
          { userId, via, apiKeyId, origin },
          { userId: 1, via: 'api', apiKeyId: 1, origin: '192.0.2.7' },
        );
        assert.ok(Math.abs(Date.parse(`${at}Z`) - Date.now()) < 60_000);
      }
      for (const { details } of entries)
        for (const value of Object.values(details).flatMap((values) => Object.keys(values)))
          for (const { field } of [english, german])
            assert.ok(value in field, `the console has no words for ${value}`);
    });
  for (const { name, usage } of all.filter(({ audit }) => audit === 'people'))
    test(`${name} writes an entry for a person, and is counted for a program`, async () => {
      const [[action], prepare] = ofPeople[name as CommandName] ?? assert.fail('no case');
      const input = await prepare();
      const before = await countOf(usage);
      assert.deepEqual(await entriesOf(() => execution(name, input, actor)), []);
      assert.equal(await countOf(usage), before + 1);
      const other = await prepare();
      const person = { ...actor, via: 'console', apiKeyId: null } as const;
      const [entry, ...more] = await entriesOf(() => execution(name, other, person));
      assert.deepEqual([entry?.action, entry?.userId, entry?.via, more], [action, 1, 'console', []]);
    });
  test('has a case here, or a reason not to be audited', () => {
    const cases = [...Object.keys(changes), ...Object.keys(ofPeople)];
    const audited = all.filter(({ audit }) => typeof audit === 'string').map(({ name }) => name);
    assert.deepEqual(cases.sort(), audited.sort());
    for (const { name, audit } of all) if (typeof audit === 'object') assert.notEqual(audit.never, '', name);
  });
  test('is declared once, and listed', () => {
    const root = join(import.meta.dirname, '../../src/app');
    const files = globSync('**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
    const declared = files.flatMap((text) => [
      ...text.matchAll(/^export const \w+ = defineCommand\(\s*\{\n +name: '([a-z-]+)',$/gm),
    ]);
    assert.deepEqual(declared.map(([, name]) => name).sort(), Object.keys(commands).sort());
  });
  test('is not counted if it is refused', async () => {
    const before = await countOf('deactivations');
    const { ok } = await execute('deactivate-activation', { token: 'unknown' }, actor);
    assert.deepEqual([ok, await countOf('deactivations')], [false, before]);
  });
});

/** The counts of today. */
async function countOf(usage: Usage | undefined): Promise<number> {
  await api.service.usage.flush();
  const { items } = await store.read.audit.counts({ from: null, to: null }, { offset: 0, limit: 100 });
  return items.filter(({ counted }) => counted === usage).reduce((sum, { count }) => sum + count, 0);
}
