import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { hexHash, incomingFiles, storedFiles } from '../../support/http/artifacts.ts';
import { startService } from '../../support/service.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const NOW = '2030-06-01 12:00:00';
const file = (content: string | Buffer = 'bytes', name = 'acme.zip', type = 'application/zip') =>
  new File([new Uint8Array(Buffer.from(content))], name, { type });
const newSoftware = async (): Promise<number> => (await api.software()).id;
const list = (software: number): Promise<Record_[]> => api.ok('GET', `/software/${software}/releases`);
const pathOf = ({ software_id, id }: Record_) => `/software/${software_id}/releases/${id}`;
const NO_FILE = { file_name: '', mime_type: '', size: 0, sha256: '', sha512: '' };
const fileFields = (bytes: string | Buffer) => ({
  size: Buffer.byteLength(bytes),
  sha256: hexHash('sha256', bytes),
  sha512: hexHash('sha512', bytes),
});

suite('create', () => {
  test('with a version and a file publishes to everybody and describes the file', async () => {
    const software = await newSoftware();
    const bytes = randomBytes(300_000);
    const { id, ...release } = await api.ok('POST', `/software/${software}/releases`, {
      multipart: { version: '1.4.0', file: file(bytes) },
    });
    assert.ok(Number.isInteger(id));
    assert.deepEqual(release, {
      software_id: software,
      version: '1.4.0',
      channel: 'stable',
      status: 'published',
      changelog: '',
      upgrade_notice: '',
      rollout: 100,
      file_name: 'acme.zip',
      mime_type: 'application/zip',
      ...fileFields(bytes),
      published_at: NOW,
      created_at: NOW,
      created_by: 1,
      updated_at: null,
      updated_by: null,
    });
    assert.deepEqual(await list(software), [{ id, ...release }]);
    assert.deepEqual(incomingFiles(api.dataDir), []);
  });
  const FIELDS = {
    version: '2.0',
    channel: 'beta',
    changelog: 'New\nlines',
    rollout: '5',
    upgrade_notice: 'now',
  };
  const { version: _version, channel: _channel, ...REST } = FIELDS;
  const WANTED = { ...FIELDS, rollout: 5 };
  for (const [where, fields] of [
    ['before', { ...FIELDS, file: file() }],
    ['after', { file: file(), ...FIELDS }],
    ['around', { version: '2.0', channel: 'beta', file: file(), ...REST }],
  ] as const) {
    test(`accepts the fields ${where} the file`, async () => {
      const release = await api.ok('POST', `/software/${await newSoftware()}/releases`, {
        multipart: fields,
      });
      assert.deepEqual({ ...release, ...WANTED, ...fileFields('bytes') }, release);
    });
  }
  test('accepts fields in the query string; the body takes precedence', async () => {
    const query = { version: '3.0', channel: 'rc', status: 'draft' };
    const multipart = { channel: 'alpha', file: file() };
    const { version, channel, status } = await api.ok('POST', `/software/${await newSoftware()}/releases`, {
      query,
      multipart,
    });
    assert.deepEqual([version, channel, status], ['3.0', 'alpha', 'draft']);
  });
  const draft = { version: '1.0', status: 'draft', changelog: 'x', rollout: '7' };
  for (const kind of ['json', 'form', 'multipart', 'query']) {
    test(`accepts a draft without a file as ${kind}`, async () => {
      const software = await newSoftware();
      const release = await api.ok('POST', `/software/${software}/releases`, { [kind]: draft });
      assert.deepEqual({ ...release, ...draft, rollout: 7, ...NO_FILE, published_at: null }, release);
      assert.deepEqual(await list(software), [release]);
    });
    for (const status of ['published', '']) {
      test(`with status "${status}" and without a file answers 422 naming file, as ${kind}`, async () => {
        const software = await newSoftware();
        const { status: _, ...others } = draft;
        const options = { [kind]: { ...others, status } };
        const body = await api.fails(422, 'data_error', 'POST', `/software/${software}/releases`, options);
        assert.deepEqual(Object.keys(body.data.params), ['file']);
        assert.deepEqual(await list(software), []);
      });
    }
  }
  test('accepts a draft or a yanked release with a file', async () => {
    for (const status of ['draft', 'yanked', 'YANKED']) {
      const release = await api.release(await newSoftware(), { status });
      assert.deepEqual([release.status, release.published_at], [status.toLowerCase(), null]);
      assert.equal(release.sha256, hexHash('sha256', 'bytes'));
    }
  });
  test('refuses a file in place of a text, on create and update', async () => {
    const software = await newSoftware();
    const path = pathOf(await api.release(software, { version: '0.9' }));
    const before = await list(software);
    for (const name of ['version', 'channel', 'changelog', 'upgrade_notice', 'status', 'rollout']) {
      const multipart = { version: '1.0', [name]: file('1.0', 'text.txt'), file: file('x', 'a.bin') };
      for (const [method, of] of [
        ['POST', `/software/${software}/releases`],
        ['PUT', path],
      ] as const) {
        const { data } = await api.fails(422, 'data_error', method, of, { multipart });
        assert.deepEqual(data.params, { [name]: 'must be text.' });
      }
    }
    assert.deepEqual(await list(software), before);
  });
  test('turns CR LF in texts, as forms send them, into LF', async () => {
    const sent = '= 1.0 =\r\n* One\r\n\r\n* Two\r\n';
    const wanted = '= 1.0 =\n* One\n\n* Two\n';
    const made = await api.release(await newSoftware(), { changelog: sent, upgrade_notice: 'a\nb' });
    assert.deepEqual([made.changelog, made.upgrade_notice], [wanted, 'a\nb']);
    const changed = await api.ok('PUT', pathOf(made), { json: { changelog: 'c\r\nd\re\n\rf' } });
    assert.equal(changed.changelog, 'c\nd\re\n\rf', 'a CR alone is kept');
  });
  test('removes a byte order mark at the beginning of a text', async () => {
    const made = await api.release(await newSoftware(), { changelog: '\ufeff= 1.0 =\r\n\ufeffOne' });
    assert.equal(made.changelog, '= 1.0 =\n\ufeffOne');
  });
  test('turns an invalid media type of the file into application/octet-stream', async () => {
    for (const type of ['', 'zip', 'text/html; charset=utf-8', 'a/b/c']) {
      const multipart = { version: '1.0', file: file('x', 'a.bin', type) };
      const release = await api.ok('POST', `/software/${await newSoftware()}/releases`, { multipart });
      assert.match(
        release.mime_type,
        type.startsWith('text') ? /^(text\/html|application\/octet-stream)$/ : /^application\/octet-stream$/,
      );
    }
  });
  test('ignores read-only and unknown fields', async () => {
    const software = await newSoftware();
    const sent = {
      id: '99999',
      software_id: '1',
      size: '5',
      sha256: 'x',
      created_by: '7',
      published_at: 'x',
    };
    const release = await api.release(software, { ...sent, other: new File(['another'], 'o.zip') });
    assert.notEqual(release.id, 99_999);
    assert.deepEqual([release.software_id, release.created_by, release.published_at], [software, 1, NOW]);
    assert.deepEqual({ ...release, ...fileFields('bytes') }, release);
    assert.deepEqual(storedFiles(api.dataDir, 'another'), []);
  });
});

suite('update', () => {
  for (const method of ['PUT', 'PATCH', 'POST']) {
    for (const kind of ['json', 'form', 'multipart']) {
      test(`${method} as ${kind} changes only the fields that are sent`, async () => {
        const made = await api.release(await newSoftware(), { changelog: 'c', upgrade_notice: 'u' });
        now += 1000;
        const sent = { version: '1.0.1', channel: 'rc', rollout: '50' };
        const updated = await api.ok(method, pathOf(made), { [kind]: sent });
        const changed = { ...sent, rollout: 50, updated_at: '2030-06-01 12:00:01', updated_by: 1 };
        assert.deepEqual(updated, { ...made, ...changed });
        assert.deepEqual(await list(made.software_id), [updated]);
      });
    }
    test(`${method} with a file replaces the previous one`, async () => {
      const [before, later] = [randomBytes(40), randomBytes(50)];
      const made = await api.release(await newSoftware(), { file: file(before) });
      const multipart = { changelog: 'c', file: file(later, 'b.tgz', 'application/gzip') };
      const updated = await api.ok(method, pathOf(made), { multipart });
      const name = { file_name: 'b.tgz', mime_type: 'application/gzip' };
      const changed = { ...name, ...fileFields(later), changelog: 'c', updated_at: NOW, updated_by: 1 };
      assert.deepEqual(updated, { ...made, ...changed });
      assert.equal(storedFiles(api.dataDir, before).length, 0);
      assert.equal(storedFiles(api.dataDir, later).length, 1);
    });
  }
  test('with only a file sets updated_at', async () => {
    const made = await api.release(await newSoftware());
    const { updated_at, size } = await api.ok('PUT', pathOf(made), {
      multipart: { file: file('longer bytes') },
    });
    assert.deepEqual([updated_at, size], [NOW, 12]);
  });
  for (const literal of [null, '']) {
    test(`${JSON.stringify(literal)} clears texts and sets the rollout to 100`, async () => {
      const made = await api.release(await newSoftware(), {
        changelog: 'c',
        upgrade_notice: 'u',
        rollout: '5',
      });
      const json = { changelog: literal, upgrade_notice: literal, rollout: literal };
      const { changelog, upgrade_notice, rollout } = await api.ok('PUT', pathOf(made), { json });
      assert.deepEqual([changelog, upgrade_notice, rollout], ['', '', 100]);
    });
  }
  test('without a known field answers 200 and changes nothing', async () => {
    const made = await api.release(await newSoftware());
    for (const options of [
      {},
      { json: {} },
      { json: { id: 5, size: 1 } },
      { multipart: { nonsense: 'x' } },
    ]) {
      assert.deepEqual(await api.ok('PUT', pathOf(made), options), made);
    }
    assert.deepEqual(await list(made.software_id), [made]);
  });
  test('accepts a whole record as the API returned it', async () => {
    const made = await api.release(await newSoftware(), { changelog: 'c' });
    const updated = await api.ok('PUT', pathOf(made), { json: made });
    assert.deepEqual({ ...updated, updated_at: null, updated_by: null }, made);
  });
});

suite('status', () => {
  const STATUSES = ['draft', 'published', 'yanked'];
  for (const from of STATUSES) {
    for (const to of STATUSES) {
      test(`${from} becomes ${to}; published_at is the time of the first publication`, async () => {
        const made = await api.release(await newSoftware(), { status: from });
        now += 60_000;
        const updated = await api.ok('PUT', pathOf(made), { json: { status: to } });
        const first = from === 'published' ? NOW : to === 'published' ? '2030-06-01 12:01:00' : null;
        assert.deepEqual([updated.status, updated.published_at], [to, first]);
        now += 60_000;
        const again = await api.ok('PUT', pathOf(made), { json: { status: 'published' } });
        assert.equal(again.published_at, first ?? '2030-06-01 12:02:00');
      });
    }
  }
  test('publishing a draft without a file answers 422 naming file and changes nothing', async () => {
    const software = await newSoftware();
    const json = { version: '1.0', status: 'draft' };
    const made = await api.ok('POST', `/software/${software}/releases`, { json });
    for (const options of [
      { json: { status: 'published', rollout: 5 } },
      { multipart: { status: 'published' } },
    ]) {
      const body = await api.fails(422, 'data_error', 'PUT', pathOf(made), options);
      assert.deepEqual(Object.keys(body.data.params), ['file']);
    }
    assert.deepEqual(await list(software), [made]);
    const multipart = { status: 'published', file: file() };
    assert.equal((await api.ok('PUT', pathOf(made), { multipart })).status, 'published');
  });
  test('a draft can be published with a file that it got earlier', async () => {
    const made = await api.ok('POST', `/software/${await newSoftware()}/releases`, {
      json: { version: '1.0', status: 'draft' },
    });
    const held = await api.ok('PUT', pathOf(made), { multipart: { file: file() } });
    assert.deepEqual([held.status, held.published_at, held.size], ['draft', null, 5]);
    assert.equal((await api.ok('PUT', pathOf(made), { json: { status: 'published' } })).published_at, NOW);
  });
});
