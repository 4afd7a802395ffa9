import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { audit as german } from '../../console/messages/de/audit.ts';
import { audit as english } from '../../console/messages/en/audit.ts';
import type { AnyCommand } from '../../src/app/command.ts';
import { commands } from '../../src/app/commands.ts';
import type { Usage } from '../../src/domain/audit.ts';
import { actor, audited } from '../support/audited/audited.ts';
import { batchChanges } from '../support/audited/audited-batches.ts';
import { eventChanges } from '../support/audited/audited-events.ts';
import { licenseChanges } from '../support/audited/audited-licenses.ts';
import { userChanges } from '../support/audited/audited-users.ts';
import { changesOfPeople } from '../support/audited/of-people.ts';
import { runSql } from '../support/engine.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const { execute, store } = api.service;
const { entriesOf, must, newLicense, newGenerator, newSoftware, newRelease, newApiKey, id, releaseOf } =
  audited(api);

/** For each command: the actions that it must record, and a function that prepares a change. */
const changes: Record<string, [actions: string[], prepare: () => Promise<() => Promise<unknown>>]> = {
  ...userChanges(api),
  ...batchChanges(api),
  ...licenseChanges(api),
  ...eventChanges(api),
  'create-api-key': [['api_key.create'], async () => newApiKey],
  'create-generator': [['generator.create'], async () => newGenerator],
  'create-license': [['license.create'], async () => newLicense],
  'create-release': [
    ['release.create'],
    async () => {
      const software = Number(await id(newSoftware()));
      return () => newRelease(software);
    },
  ],
  'create-software': [['software.create'], async () => newSoftware],
  'delete-generator': [
    ['generator.delete'],
    async () => {
      const named = await id(newGenerator());
      return () => execute('delete-generator', { named }, actor);
    },
  ],
  'delete-license': [
    ['license.delete'],
    async () => {
      const { key } = await must(newLicense());
      return () => execute('delete-license', { named: key }, actor);
    },
  ],
  'change-licenses': [
    ['license.update', 'license.update'],
    async () => {
      const ids = [Number(await id(newLicense())), Number(await id(newLicense()))];
      return () => execute('change-licenses', { ids, change: { status: 5 } }, actor);
    },
  ],
  'delete-licenses': [
    ['license.delete', 'license.delete'],
    async () => {
      const ids = [Number(await id(newLicense())), Number(await id(newLicense()))];
      return () => execute('delete-licenses', { ids }, actor);
    },
  ],
  'delete-activation': [
    ['activation.delete'],
    async () => {
      const { license_key: key } = await api.license();
      const activation = await api.activation(key);
      return () => execute('delete-activation', { id: activation.id }, actor);
    },
  ],
  'reactivate-activation': [
    ['activation.reactivate'],
    async () => {
      const { license_key: key } = await api.license();
      const { id, token } = await api.activation(key);
      await api.ok('GET', `/licenses/deactivate/${token}`);
      return () => execute('reactivate-activation', { id }, actor);
    },
  ],
  'hold-seat': [
    ['activation.extend'],
    async () => {
      const { license_key: key } = await api.license({ seat_ttl: 600, borrow_max_hours: 24 });
      const { id } = await api.activation(key);
      return () => execute('hold-seat', { id, borrowHours: 24 }, actor);
    },
  ],
  'reveal-license-key': [
    ['license.reveal'],
    async () => {
      const license = Number(await id(newLicense()));
      return () => execute('reveal-license-key', { id: license }, actor);
    },
  ],
  'record-license-export': [
    ['license.export'],
    async () => () =>
      execute('record-license-export', { filter: {}, columns: ['license_key'], count: 3 }, actor),
  ],
  'delete-release': [
    ['release.delete'],
    async () => {
      const named = await releaseOf();
      return () => execute('delete-release', { named }, actor);
    },
  ],
  'delete-software': [
    ['software.delete'],
    async () => {
      const named = await id(newSoftware());
      return () => execute('delete-software', { named }, actor);
    },
  ],
  'revoke-api-key': [
    ['api_key.revoke'],
    async () => {
      const made = await must(newApiKey());
      return () => execute('revoke-api-key', { id: Number(made) }, actor);
    },
  ],
  'update-api-key': [
    ['api_key.update'],
    async () => {
      const id = Number(await must(newApiKey()));
      return () => execute('update-api-key', { id, changes: { products: [7] }, configuredKey: null }, actor);
    },
  ],
  'begin-master-key-rotation': [
    ['master_key.rotate'],
    async () => {
      const { fingerprint } = await store.read.masterKey.state();
      const rotation = { from: fingerprint, to: 'new', keyId: '00000000', bundles: {}, temporary: [] };
      return () => execute('begin-master-key-rotation', rotation, actor);
    },
  ],
  'finish-master-key-rotation': [
    ['master_key.retire'],
    async () => {
      const { fingerprint } = await store.read.masterKey.state();
      await execute('switch-master-key', { to: 'new' }, actor);
      return async () => {
        await execute('finish-master-key-rotation', { to: 'new' }, actor);
        // No client has this key: put the old fingerprint back.
        await runSql(
          api.dataDir,
          `update meta set value = '${fingerprint}' where name = 'master_key_fingerprint';
           delete from meta where name = 'master_keys_retired'`,
        );
      };
    },
  ],
  'rotate-api-key': [
    ['api_key.create', 'api_key.rotate'],
    async () => {
      const made = await must(newApiKey());
      const hashed = { keyHash: randomBytes(32), keyEnding: '1234567', secretHash: randomBytes(32) };
      const endsAt = '2999-01-01 00:00:00';
      return () => execute('rotate-api-key', { id: Number(made), ...hashed, endsAt }, actor);
    },
  ],
  'make-signing-keys': [
    ['signing_key.create'],
    async () => {
      await runSql(api.dataDir, 'delete from signing_keys');
      return () => execute('make-signing-keys', null, actor);
    },
  ],
  'rotate-signing-key': [
    ['signing_key.rotate'],
    async () => () =>
      execute('rotate-signing-key', { rootKey: null, revoke: false, onlyIfDue: false }, actor),
  ],
  'use-spare-root': [
    ['signing_key.use_spare'],
    async () => () => execute('use-spare-root', { rootKey: null, keepOld: false, again: true }, actor),
  ],
  'export-root-key': [
    ['signing_key.export_root'],
    async () => {
      const keys = await store.read.signingKeys.list();
      const spare = keys.find(({ state }) => state === 'spare');
      return () => execute('export-root-key', { kid: String(spare?.kid) }, actor);
    },
  ],
  'set-up': [
    ['api_key.create'],
    async () => {
      const configured = { keyHash: randomBytes(32), keyEnding: '1234567', secretHash: randomBytes(32) };
      return () => execute('set-up', { first: null, configured }, actor);
    },
  ],
  'update-generator': [
    ['generator.update'],
    async () => {
      const named = await id(newGenerator());
      return () => execute('update-generator', { named, changes: { name: 'other' } }, actor);
    },
  ],
  'update-license': [
    ['license.update'],
    async () => {
      const { key } = await must(newLicense());
      return () => execute('update-license', { named: key, changes: { status: 5 } }, actor);
    },
  ],
  'update-release': [
    ['release.update'],
    async () => {
      const named = await releaseOf();
      return () => execute('update-release', { named, changes: { channel: 'beta' }, file: null }, actor);
    },
  ],
  'update-software': [
    ['software.update'],
    async () => {
      const named = await id(newSoftware());
      return () => execute('update-software', { named, changes: { name: 'Other' } }, actor);
    },
  ],
};

const ofPeople = changesOfPeople(api);

const all: readonly AnyCommand[] = Object.values(commands);

suite('every command', () => {
  for (const { name } of all.filter(({ audit }) => audit === 'always'))
    test(`${name} writes an entry with user, time and origin`, async () => {
      const [actions, prepare] = changes[name] ?? assert.fail('no case');
      const change = await prepare();
      const entries = await entriesOf(() => must(change()));
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
      const [action, prepare] = ofPeople[name] ?? assert.fail('no case');
      const change = await prepare();
      const before = await countOf(usage);
      assert.deepEqual(await entriesOf(() => must(change(actor))), []);
      assert.equal(await countOf(usage), before + 1);
      const other = await prepare();
      const person = { ...actor, via: 'console', apiKeyId: null } as const;
      const [entry, ...more] = await entriesOf(() => must(other(person)));
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
  await api.flushUsage();
  const { items } = await store.read.audit.counts({ from: null, to: null }, { offset: 0, limit: 100 });
  return items.filter(({ counted }) => counted === usage).reduce((sum, { count }) => sum + count, 0);
}
