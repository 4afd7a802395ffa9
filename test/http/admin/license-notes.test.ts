import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import { numberOf } from '../../support/engine.ts';
import { eventsAt } from '../../support/events.ts';
import { newKey, newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [support, viewer] = await Promise.all([signedIn(api, 'support'), signedIn(api, 'viewer')]);

const notesOf = (id: number) => viewer.ok('GET', `/licenses/${id}/notes`);
const note = (id: number, changes: Record_) => support.ok('PATCH', `/licenses/${id}/notes`, changes);
const found = async (query: string): Promise<number[]> =>
  (await viewer.ok('GET', `/licenses?${query}`)).items.map(({ id }: Record_) => id);
const search = (text: string) => found(`search=${encodeURIComponent(text)}`);
const word = () => newName().replace('-', '').toLowerCase();

suite('notes of a license', () => {
  test('consist of a note, tags and metadata, each changed separately and recorded', async () => {
    const { id } = await api.license();
    const { etag, ...none } = await notesOf(id);
    assert.deepEqual(none, { note: null, tags: [], meta: {} });
    const all = {
      note: 'Paid twice.\nRefund?',
      tags: ['VIP', 'Köln'],
      meta: { invoice: 'R-7', seats: ['1', null] },
    };
    const { etag: first, ...set } = await note(id, all);
    assert.deepEqual(set, all);
    assert.notEqual(first, etag);
    assert.deepEqual(await notesOf(id), { ...all, etag: first });

    const changed = await note(id, { tags: 'VIP, new ', meta: { invoice: 'R-8', seats: ['1', null] } });
    assert.deepEqual([changed.note, changed.tags, changed.meta.invoice], [all.note, ['VIP', 'new'], 'R-8']);
    const [entry] = (await viewer.ok('GET', `/licenses/${id}/history`)).items;
    assert.deepEqual(
      [entry.action, entry.user_name, entry.before, entry.after],
      [
        'license.update',
        support.user.name,
        { tags: ['VIP', 'Köln'], meta: { invoice: 'R-7' } },
        { tags: ['VIP', 'new'], meta: { invoice: 'R-8' } },
      ],
    );
    const { etag: last, ...cleared } = await note(id, { note: null, tags: null, meta: null });
    assert.deepEqual([cleared, last], [none, etag]);
    for (const table of ['license_notes', 'license_words', 'license_meta'])
      assert.equal(await numberOf(api.dataDir, `select count(*) from ${table} where license_id = ${id}`), 0);
  });

  test('do not appear in the answers to programs, in events and in the audit trail of the API', async () => {
    const license_key = newKey();
    const endpoint = await api.ok('POST', '/events/endpoints', { json: { kind: 'poll' } });
    const { id } = await api.license({ license_key });
    const before = await api.ok('GET', `/licenses/${license_key}`);
    await note(id, { note: 'secret', tags: ['secret'], meta: { secret: 'secret' } });
    assert.deepEqual(await api.ok('GET', `/licenses/${license_key}`), before);
    const events = await eventsAt(api, endpoint.id);
    assert.deepEqual(
      events.map(({ type }: Record_) => type),
      ['license.created', 'license.updated'],
    );
    const entries: Record_[] = await api.ok('GET', '/audit', { query: { subject: `license:${id}` } });
    assert.deepEqual([entries[0]?.action, entries[0]?.before, entries[0]?.after], ['license.update', {}, {}]);
    assert.doesNotMatch(JSON.stringify([events, entries]), /secret|"(note|tags|meta)"/);
  });

  test('that are invalid are refused by field and change nothing', async () => {
    const { id } = await api.license();
    const before = await note(id, { note: 'a', tags: ['b'], meta: { c: 'd' } });
    const bad = {
      note: 'x'.repeat(10_001),
      tags: ['a\u0007b', 'c'],
      meta: { '': 'no name' },
    };
    const { status, body } = await support.patch(`/licenses/${id}/notes`, bad);
    assert.deepEqual([status, Object.keys(body.data.reasons).sort()], [422, ['meta', 'note', 'tags']]);
    for (const one of [
      { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) },
      { tags: ['x'.repeat(51)] },
      { meta: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`n${i}`, 'v'])) },
      { meta: { n: 1 } },
      { meta: '[]' },
    ])
      assert.equal((await support.patch(`/licenses/${id}/notes`, one)).status, 422);
    assert.deepEqual(await notesOf(id), before);
    assert.equal((await viewer.patch(`/licenses/${id}/notes`, { note: 'x' })).status, 403);
    assert.equal((await support.patch('/licenses/999999/notes', { note: 'x' })).status, 404);
  });
});

suite('licenses are found', () => {
  test('by a tag, together with other filters, newest first', async () => {
    const tag = newName();
    const ids: number[] = [];
    for (const status of [3, 5, 3]) {
      const { id } = await api.license({ status });
      await note(id, { tags: [tag, `${tag}x`] });
      ids.unshift(id);
    }
    const sent = encodeURIComponent(tag);
    assert.deepEqual(await found(`tag=${sent}`), ids);
    assert.deepEqual(await found(`tag=${sent}&status=5`), [ids[1]]);
    assert.deepEqual(await found(`tag=${sent}&ids[]=${ids[0]}`), [ids[0]]);
    assert.deepEqual(await found(`tag=${sent.slice(0, -1)}`), []);
    assert.deepEqual(await search(`tag:${tag}`), ids);
    const { items } = await viewer.ok('GET', '/tags');
    assert.deepEqual([items.includes(tag), items.includes(`${tag}x`)], [true, true]);
    await note(ids[0] as number, { tags: [tag] });
    assert.deepEqual(await found(`tag=${sent}x`), ids.slice(1));
    const matched = (await viewer.ok('GET', `/licenses?search=${sent}`)).matched;
    assert.deepEqual(matched, ['tag']);
  });

  test('by words in their note: all of them, each by its prefix, in any case and any order', async () => {
    const [one, two] = [word(), word()];
    const { id } = await api.license();
    const { id: other } = await api.license();
    await note(id, { note: `Ärger with ${one.toUpperCase()}; write to anna@${two}.test` });
    await note(other, { note: `only ${one}` });
    assert.deepEqual(await search(one), [other, id]);
    assert.deepEqual(await search(`${one} only`), [other]);
    assert.deepEqual(await search(`note: anna@${two.slice(0, -2)}`), [id]);
    assert.deepEqual(await search(`ärger ${one}`), [id]);
    assert.deepEqual(await search(`${one} nothing${two}`), []);
    await note(id, { note: 'settled' });
    assert.deepEqual(await search(one), [other]);
  });
});
