import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { incomingFiles, storedFiles } from '../../support/http/artifacts.ts';
import { startService } from '../../support/service.ts';
import { asJson, NO_INTEGER, NO_TEXT, shown } from './bad-values.ts';

const api = await startService({ after });
const { id: software } = await api.software();
const releases = `/software/${software}/releases`;
const list = (): Promise<Record_[]> => api.ok('GET', releases, { query: { per_page: 1000 } });
const quoted = (text: string) => JSON.stringify(text);
let patch = 0;
const nextVersion = () => `7.0.${++patch}`;
/** The release that no refused request changes. */
const kept = await api.ok('POST', releases, { json: { version: nextVersion(), status: 'draft' } });

const NO_VERSION = [
  ...['x', 'v', 'latest', '.1', '1.', '1..2', '-1', '+1', '1-', '1+', '1.0-', '1.0-rc..1', '1.0 ', ' 1.0'],
  ...['1,0', '1.0/2', '1.0\n', '1 0', '1_0', '１.０', '1.0-é', 'vv1', '1.0+a+b', '../1', '1'.repeat(65)],
];
const BAD: Record<string, string[]> = {
  version: [...NO_TEXT, '1.4', '2', '[]', '{}', '["1.0"]', ...NO_VERSION.map(quoted)],
  channel: ['5', 'true', '"nightly"', '"stable "', '["stable"]', '{}', '"\\u0000"'],
  status: ['5', '1', 'true', '"public"', '"publish"', '"draft "', '["draft"]', '{}', '"\\u0000"'],
  rollout: [...NO_INTEGER, '101', '"101"', '2147483648', '"50%"', '0.5', '9007199254740993'],
  changelog: [...NO_TEXT, '[]', '{}', quoted('a'.repeat(65_536))],
  upgrade_notice: [...NO_TEXT, '[]', '{}', quoted('a'.repeat(1001))],
};

for (const [field, literals] of Object.entries(BAD)) {
  suite(`${field} of a release`, () => {
    for (const literal of literals) {
      test(`create with ${shown(literal)} answers 422 naming it, nothing created`, async () => {
        const sent = { version: quoted(nextVersion()), status: '"draft"', [field]: literal };
        const before = await list();
        const body = await api.fails(422, 'data_error', 'POST', releases, asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.deepEqual(await list(), before);
      });
      test(`update with ${shown(literal)} answers 422 naming it, nothing changed`, async () => {
        const before = await list();
        const sent = { changelog: '"changed"', rollout: '3', [field]: literal };
        const options = asJson(sent);
        const body = await api.fails(422, 'data_error', 'PUT', `${releases}/${kept.id}`, options);
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.deepEqual(await list(), before);
      });
    }
  });
}

suite('invalid values beside a file answer 422 naming them, and no file is kept', () => {
  const IN_A_FORM: [field: string, value: string][] = [
    ...NO_VERSION.map((value) => ['version', value] as [string, string]),
    ['version', ''],
    ['channel', 'nightly'],
    ['status', 'public'],
    ...['abc', '-1', '101', '1.5', '1e1', '50%'].map((value) => ['rollout', value] as [string, string]),
    ['changelog', 'a'.repeat(65_536)],
    ['upgrade_notice', 'a\0b'],
    ['version[]', '1.0'],
    ['channel[a]', 'beta'],
  ];
  for (const [field, value] of IN_A_FORM) {
    test(`${field}=${shown(quoted(value))}`, async () => {
      const bytes = `${field} ${value}`;
      const before = await list();
      for (const multipart of [
        { version: nextVersion(), [field]: value, file: new File([bytes], 'x.zip') },
        { file: new File([bytes], 'x.zip'), version: nextVersion(), [field]: value },
      ]) {
        const body = await api.fails(422, 'data_error', 'POST', releases, { multipart });
        assert.deepEqual(Object.keys(body.data.params), [field.replace(/\[.*/, '')]);
      }
      assert.deepEqual(await list(), before);
      assert.deepEqual([incomingFiles(api.dataDir), storedFiles(api.dataDir, bytes)], [[], []]);
    });
  }
});

suite('required values', () => {
  for (const [what, sent] of [
    ['not sent', {}],
    ['null', { version: 'null' }],
    ['""', { version: '""' }],
  ] as const) {
    test(`version ${what} on create answers 422 naming it`, async () => {
      const options = asJson({ status: '"draft"', ...sent });
      const body = await api.fails(422, 'data_error', 'POST', releases, options);
      assert.deepEqual(Object.keys(body.data.params), ['version']);
    });
  }
  for (const field of ['version', 'channel', 'status']) {
    for (const literal of ['null', '""']) {
      test(`${field} ${literal} on update answers 422 naming it, nothing changed`, async () => {
        const options = asJson({ changelog: '"changed"', [field]: literal });
        const body = await api.fails(422, 'data_error', 'PUT', `${releases}/${kept.id}`, options);
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.deepEqual(
          (await list()).find(({ id }) => id === kept.id),
          kept,
        );
      });
    }
  }
  for (const literal of ['null', '""']) {
    test(`an optional field that is ${literal} on create counts as not set`, async () => {
      const names = ['channel', 'rollout', 'changelog', 'upgrade_notice'];
      const sent = Object.fromEntries(names.map((name) => [name, literal]));
      const options = asJson({ version: quoted(nextVersion()), status: '"draft"', ...sent });
      const { channel, rollout, changelog, upgrade_notice } = await api.ok('POST', releases, options);
      assert.deepEqual([channel, rollout, changelog, upgrade_notice], ['stable', 100, '', '']);
    });
  }
  test('one answer names all errors', async () => {
    const json = Object.fromEntries(Object.keys(BAD).map((name) => [name, { no: 5 }]));
    const body = await api.fails(422, 'data_error', 'POST', releases, { json });
    assert.deepEqual(Object.keys(body.data.params).sort(), Object.keys(BAD).sort());
  });
});

suite('values at their limits are accepted', () => {
  for (const rollout of [0, 1, 99, 100, '0', '100', '007']) {
    test(`rollout ${JSON.stringify(rollout)}`, async () => {
      const json = { version: nextVersion(), status: 'draft', rollout };
      assert.equal((await api.ok('POST', releases, { json })).rollout, Number(rollout));
    });
  }
  for (const [field, value] of [
    ['changelog', '😀'.repeat(65_535)],
    ['upgrade_notice', 'é'.repeat(1000)],
    ['channel', 'BETA'],
  ] as const) {
    test(field, async () => {
      const json = { version: nextVersion(), status: 'Draft', [field]: value };
      const made = await api.ok('POST', releases, { json });
      assert.equal(made[field], field === 'channel' ? 'beta' : value);
    });
  }
});

suite('file', () => {
  for (const value of ['text', 5, ['x'], { name: 'x' }, true]) {
    test(`${JSON.stringify(value)} in JSON is not a file: 422 naming it`, async () => {
      const json = { version: nextVersion(), status: 'draft', file: value };
      const body = await api.fails(422, 'data_error', 'POST', releases, { json });
      assert.deepEqual(Object.keys(body.data.params), ['file']);
    });
  }
  test('text in a form or in the query string is not a file: 422 naming it', async () => {
    const fields = { version: nextVersion(), status: 'draft', file: 'text' };
    for (const kind of ['form', 'multipart', 'query']) {
      const body = await api.fails(422, 'data_error', 'POST', releases, { [kind]: fields });
      assert.deepEqual(Object.keys(body.data.params), ['file']);
    }
  });
  for (const file of [null, '']) {
    test(`${JSON.stringify(file)} counts as no file`, async () => {
      const json = { version: nextVersion(), status: 'draft', file };
      assert.equal((await api.ok('POST', releases, { json })).size, 0);
    });
  }
});
