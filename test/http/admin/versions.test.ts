import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { type SignedInClient, signedIn } from '../../support/console/console.ts';
import { newKey, newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const owner = await signedIn(api, 'owner');
const other = await signedIn(api, 'owner');

const patch = async (by: SignedInClient, path: string, etag: string | null, body: Record_) => {
  const headers = { 'content-type': 'application/json', ...(etag !== null && { 'if-match': `"${etag}"` }) };
  const response = await by.fetch(path, { method: 'PATCH', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record_ };
};

interface Noun {
  kind: string;
  /** Creates a record. @returns its path */
  make(): Promise<string>;
  /** Reads the current record. */
  read(path: string): Promise<Record_>;
  /** Two changes of the same field, and a change of another field. */
  changes: [Record_, Record_, Record_];
}

const byPath = (path: string) => owner.ok('GET', path);
/** Reads a record that only the list shows. */
const listed = async (path: string) => {
  const [, noun, id] = path.split('/');
  const { items } = await owner.ok('GET', `/${noun}`);
  return items.find((one: Record_) => one.id === Number(id));
};
const NOUNS: Noun[] = [
  {
    kind: 'license',
    make: async () => `/licenses/${(await api.license()).id}`,
    read: byPath,
    changes: [{ customer_email: 'a@b.example' }, { customer_email: 'c@d.example' }, { activations_limit: 7 }],
  },
  {
    kind: 'license_notes',
    make: async () => `/licenses/${(await api.license()).id}/notes`,
    read: byPath,
    changes: [{ note: 'a' }, { note: 'b' }, { tags: ['c'] }],
  },
  {
    kind: 'generator',
    make: async () => `/generators/${(await api.generator()).id}`,
    read: byPath,
    changes: [{ chunks: 5 }, { chunks: 6 }, { lease_days: 3 }],
  },
  {
    kind: 'software',
    make: async () => `/software/${(await owner.ok('POST', '/software', { name: newName() })).id}`,
    read: byPath,
    changes: [{ tested: '6.1' }, { tested: '6.2' }, { product_ids: [4] }],
  },
  {
    kind: 'release',
    async make() {
      const { id } = await owner.ok('POST', '/software', { name: newName() });
      const draft = { version: '1.0.0', status: 'draft' };
      return `/software/${id}/releases/${(await owner.ok('POST', `/software/${id}/releases`, draft)).id}`;
    },
    read: byPath,
    changes: [{ rollout: 20 }, { rollout: 30 }, { changelog: 'Faster' }],
  },
  {
    kind: 'api_key',
    make: async () => `/api-keys/${(await owner.ok('POST', '/api-keys', { description: 'a' })).api_key.id}`,
    read: listed,
    changes: [{ description: 'b' }, { description: 'c' }, { products: [4] }],
  },
  {
    kind: 'event_endpoint',
    make: async () =>
      `/event-endpoints/${(await owner.ok('POST', '/event-endpoints', { kind: 'poll' })).endpoint.id}`,
    read: listed,
    changes: [{ types: ['license.created'] }, { types: ['license.deleted'] }, { description: 'CRM' }],
  },
  {
    kind: 'user',
    async make() {
      const email = `${newName().toLowerCase().replaceAll(' ', '.')}@example.test`;
      return `/users/${(await owner.ok('POST', '/users', { name: 'A', email, role: 'viewer' })).user.id}`;
    },
    read: listed,
    changes: [{ name: 'B' }, { name: 'C' }, { role: 'support' }],
  },
];

for (const { kind, make, read, changes } of NOUNS)
  suite(`versions of a record: ${kind}`, () => {
    const [mine, theirs, more] = changes;

    test('a change based on an outdated version is refused with its own code and changes nothing', async () => {
      const path = await make();
      const { etag } = await read(path);
      const first = await patch(other, path, etag, theirs);
      assert.equal(first.status, 200);
      assert.notEqual(first.body.etag, etag);
      const now = await read(path);
      // The answer to the change has the etag of the new version.
      assert.equal(now.etag, first.body.etag);

      const second = await patch(owner, path, etag, { ...mine, ...more });
      assert.deepEqual(
        [second.status, second.body.code, second.body.data.reason],
        [412, 'record_changed', { code: 'record_changed', args: { kind } }],
      );
      assert.deepEqual(await read(path), now);

      assert.equal((await patch(owner, path, now.etag, mine)).status, 200);
      // Without a version, the last change wins, as for programs.
      assert.equal((await patch(other, path, null, theirs)).status, 200);
      assert.equal((await read(path)).etag, now.etag, 'the same values are the same version');
    });

    test('of two concurrent changes of one version, only one succeeds', async () => {
      const path = await make();
      const { etag } = await read(path);
      const both = await Promise.all([patch(owner, path, etag, mine), patch(other, path, etag, theirs)]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
    });
  });

test('activating a license keeps its version, and the etag hides the key', async () => {
  const license_key = newKey();
  const { id } = await api.license({ license_key, activations_limit: 5 });
  const before = await byPath(`/licenses/${id}`);
  await api.ok('GET', `/licenses/activate/${license_key}`);
  const after = await byPath(`/licenses/${id}`);
  assert.deepEqual([after.times_activated, after.etag], [1, before.etag]);
  // With another key, the same values are another version.
  await owner.ok('PATCH', `/licenses/${id}`, { license_key: newKey() });
  assert.notEqual((await byPath(`/licenses/${id}`)).etag, before.etag);
  // A deleted record is 404, whatever the version.
  await owner.ok('DELETE', `/licenses/${id}`);
  assert.equal((await patch(owner, `/licenses/${id}`, before.etag, { status: 5 })).status, 404);
});
