import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

/** Which releases an update offers: channels, versions, rollouts, statuses (contract section 8). */
let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const news = (software: number, query: Record<string, unknown> = {}): Promise<Record_> =>
  api.ok('GET', `/software/${software}`, { query });
const newSoftware = async (values = {}): Promise<number> => (await api.software(values)).id;
const change = ({ software_id, id }: Record_, json: object) =>
  api.ok('PUT', `/software/${software_id}/releases/${id}`, { json });

const inChannels = await newSoftware();
for (const [version, channel] of [
  ['1.9.0', 'stable'],
  ['1.10.0', 'stable'],
  ['2.0.0-rc.1', 'rc'],
  ['2.0.0-rc.0', 'rc'],
  ['2.1.0-beta.2', 'beta'],
  ['2.1.0-beta.10', 'beta'],
  ['3.0.0-alpha', 'alpha'],
] as const) {
  await api.release(inChannels, { version, channel });
}

suite('channels', () => {
  const STABLE = ['1.10.0', '1.9.0'];
  const RC = ['2.0.0-rc.1', '2.0.0-rc.0', ...STABLE];
  const BETA = ['2.1.0-beta.10', '2.1.0-beta.2', ...RC];
  const OFFERED: [query: Record<string, string>, versions: string[]][] = [
    [{}, STABLE],
    [{ channel: 'stable' }, STABLE],
    [{ channel: 'rc' }, RC],
    [{ channel: 'beta' }, BETA],
    [{ channel: 'alpha' }, ['3.0.0-alpha', ...BETA]],
    ...['', 'nightly', 'BETA', 'Beta', ' beta', 'beta ', '1', '__proto__', 'constructor', 'a\0b'].map(
      (channel) => [{ channel }, STABLE] as [Record<string, string>, string[]],
    ),
    [{ 'channel[]': 'beta' }, STABLE],
    [{ 'channel[a]': 'beta' }, STABLE],
  ];
  for (const [query, versions] of OFFERED) {
    test(`${JSON.stringify(query)} offers ${versions[0]} and lists the newest first`, async () => {
      const { version, details } = await news(inChannels, query);
      assert.deepEqual([version, details.stable_tag], [versions[0], versions[0]]);
      assert.deepEqual(details.versions, versions);
    });
  }
  test('a stable release above all others is offered in every channel', async () => {
    const other = await newSoftware();
    await api.release(other, { version: '2.0.0-beta.1', channel: 'beta' });
    await api.release(other, { version: '2.0.0' });
    for (const channel of ['stable', 'rc', 'beta', 'alpha']) {
      assert.equal((await news(other, { channel })).version, '2.0.0');
    }
  });
});

suite('the highest version wins, whatever was created last', () => {
  for (const [lower, higher] of [
    ['1.9.0', '1.10.0'],
    ['2.0.0-rc.1', '2.0.0'],
    ['1.4', '1.4.0.1'],
    ['6.8.1', '6.8.1.2'],
    ['9', '10'],
    ['1.0.0-rc.9', '1.0.0-rc.10'],
    ['v1.0', '1.0.1'],
  ] as const) {
    test(`${higher} > ${lower}`, async () => {
      for (const order of [
        [lower, higher],
        [higher, lower],
      ]) {
        const software = await newSoftware();
        for (const version of order) await api.release(software, { version });
        const { version, details } = await news(software);
        assert.deepEqual([version, details.versions], [higher, [higher, lower]]);
      }
    });
  }
});

suite('drafts and yanked releases are never offered', () => {
  for (const status of ['draft', 'yanked']) {
    test(`${status}: the version below is offered until it is published`, async () => {
      const software = await newSoftware({ access: 'public' });
      await api.release(software, { version: '1.0', changelog: 'One' });
      const two = await api.release(software, { version: '2.0', changelog: 'Two', status });
      const { version, details } = await news(software, { channel: 'alpha' });
      assert.deepEqual([version, details.versions, details.sections.changelog], ['1.0', ['1.0'], 'One']);
      await change(two, { status: 'published' });
      assert.equal((await news(software)).version, '2.0');
      await change(two, { status });
      assert.equal((await news(software)).version, '1.0');
    });
  }
  test('a deleted release is not offered either', async () => {
    const software = await newSoftware();
    await api.release(software, { version: '1.0' });
    const { id } = await api.release(software, { version: '2.0' });
    await api.ok('DELETE', `/software/${software}/releases/${id}`);
    assert.deepEqual((await news(software)).details.versions, ['1.0']);
  });
});

suite('details of an update', () => {
  test('are those of the software and the release; every simple field is a string', async () => {
    const values = {
      url: 'https://example.com/acme',
      tested: '6.8',
      requires: '5.0',
      requires_php: '7.4',
      icons: { '1x': 'https://example.com/i' },
      banners: { low: 'https://example.com/b', 'two\nlines': 'https://example.com/c' },
    };
    const { id, slug } = await api.software({ name: 'Acme', ...values });
    await api.release(id, { changelog: 'First', upgrade_notice: 'Now!' });
    const { url, ...about } = values;
    assert.deepEqual(await news(id), {
      name: 'Acme',
      version: '1.0.0',
      license: '',
      download_url: '',
      url,
      details: {
        name: 'Acme',
        slug,
        ...about,
        last_updated: '2030-06-01 12:00:00',
        stable_tag: '1.0.0',
        versions: ['1.0.0'],
        upgrade_notice: 'Now!',
        sections: { changelog: 'First' },
      },
    });
  });
  test('have no upgrade_notice, icons and banners if none are set', async () => {
    const software = await newSoftware({ tested: null });
    const release = await api.release(software, { upgrade_notice: 'x' });
    await change(release, { upgrade_notice: '' });
    const { details } = await news(software);
    for (const name of ['upgrade_notice', 'icons', 'banners']) assert.ok(!(name in details), name);
    for (const name of ['tested', 'requires', 'requires_php']) assert.equal(details[name], '');
  });
  test('have the changelogs of the offered releases, newest first, and the notice of the newest', async () => {
    const software = await newSoftware();
    await api.release(software, { version: '1.10', changelog: '= 1.10 =\n* Ten', upgrade_notice: 'ten' });
    await api.release(software, { version: '1.9', changelog: '= 1.9 =\n* Nine', upgrade_notice: 'nine' });
    await api.release(software, { version: '1.8' });
    await api.release(software, { version: '1.7', changelog: '= 1.7 =' });
    await api.release(software, { version: '2.0-rc.1', changelog: 'RC', channel: 'rc' });
    const { details } = await news(software);
    assert.equal(details.sections.changelog, '= 1.10 =\n* Ten\n\n= 1.9 =\n* Nine\n\n= 1.7 =');
    assert.equal(details.upgrade_notice, 'ten');
    assert.match((await news(software, { channel: 'rc' })).details.sections.changelog, /^RC\n\n= 1\.10/);
  });
  test('have at most 64 KiB of changelogs; the Link header leads to the rest', async () => {
    const software = await newSoftware();
    const changelogs = [
      '€'.repeat(65_535),
      'b'.repeat(30_000),
      'short',
      'd'.repeat(30_000),
      'e'.repeat(9_000),
    ];
    const versions = ['5.0', '4.0', '3.0', '2.0', '1.0'];
    for (const [i, changelog] of changelogs.entries())
      await api.release(software, { version: String(versions[i]), changelog, channel: 'beta' });
    const read: string[] = [];
    const { consumerKey: consumer_key, consumerSecret: consumer_secret } = api.credentials;
    let query: Record<string, string> = { channel: 'beta', consumer_key, consumer_secret };
    for (;;) {
      const { headers, body } = await api.call('GET', `/software/${software}`, { query });
      assert.deepEqual(body.data.details.versions, versions);
      read.push(body.data.details.sections.changelog);
      const [, next] = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
      if (next === undefined) break;
      assert.ok(next.startsWith(`${api.root}/software/${software}?`), next);
      query = Object.fromEntries(new URL(next).searchParams);
    }
    // The newest changelog is always complete.
    const [first, ...others] = changelogs;
    assert.deepEqual(read, [first, others.slice(0, 3).join('\n\n'), others[3]]);
    assert.deepEqual(query, { channel: 'beta', changelog_from: '1.0' });
    const from = async (changelog_from: string) =>
      (await news(software, { channel: 'beta', changelog_from })).details.sections.changelog;
    assert.equal(await from('1.5'), 'e'.repeat(9_000), 'a version that is not offered');
    assert.equal(await from('0.1'), '');
    assert.equal(await from('nonsense'), first);
  });
  test('have as last_updated the first publication of the newest release', async () => {
    const software = await newSoftware();
    const draft = await api.release(software, { version: '2.0', status: 'draft' });
    now += 60_000;
    await change(draft, { status: 'published' });
    now += 60_000;
    await change(draft, { changelog: 'later' });
    await api.release(software, { version: '1.0' });
    assert.equal((await news(software)).details.last_updated, '2030-06-01 12:01:00');
  });
});

suite('rollout', () => {
  let rolledOut: number;
  const tokens: string[] = [];
  before(async () => {
    rolledOut = await newSoftware();
    await api.release(rolledOut, { version: '1.0.0' });
    const { license_key } = await api.license({ activations_limit: 0 });
    for (let i = 0; i < 120; i++) tokens.push((await api.activation(license_key)).token);
  });
  const offered = async (version: string, to = tokens): Promise<Set<string>> => {
    const found = new Set<string>();
    // Ask for a few at a time: a loaded machine answers 503 to requests that wait longer than five seconds.
    const waiting = [...to];
    const ask = async () => {
      for (let token = waiting.pop(); token; token = waiting.pop())
        if ((await news(rolledOut, { activation_token: token })).version === version) found.add(token);
    };
    await Promise.all(Array.from({ length: 10 }, ask));
    return found;
  };
  const isWithin = (some: Set<string>, all: Set<string>) => [...some].every((token) => all.has(token));
  const release = (version: string, rollout: number) =>
    api.release(rolledOut, { version, rollout: String(rollout) });

  test('0 offers the release to nobody, and the one below to everybody', async () => {
    await release('1.1', 0);
    assert.equal((await offered('1.0.0', tokens.slice(0, 50))).size, 50);
    assert.equal((await news(rolledOut)).version, '1.0.0');
  });
  test('100 offers the release to everybody, even without an activation', async () => {
    const made = await release('1.2', 100);
    assert.equal((await offered('1.2', tokens.slice(0, 50))).size, 50);
    assert.equal((await news(rolledOut)).version, '1.2');
    await change(made, { status: 'yanked' });
  });
  test('30 offers the release to about 30 %, always the same activations, and to nobody without one', async () => {
    const made = await release('1.3', 30);
    const first = await offered('1.3');
    // Four standard deviations in both directions.
    assert.ok(first.size > 15 && first.size < 57, `${first.size} of 120`);
    assert.deepEqual(await offered('1.3'), first);
    assert.equal((await offered('1.0.0')).size, 120 - first.size);
    assert.equal((await news(rolledOut)).version, '1.0.0');
    await change(made, { status: 'yanked' });
  });
  test('a raised rollout keeps all activations, a lowered one adds none', async () => {
    const made = await release('1.4', 10);
    let before = await offered('1.4');
    for (const rollout of [20, 50, 99, 100]) {
      await change(made, { rollout });
      const raised = await offered('1.4');
      assert.ok(isWithin(before, raised), `at ${rollout}`);
      assert.ok(raised.size > before.size || rollout > 50, `at ${rollout}`);
      before = raised;
    }
    assert.equal(before.size, 120);
    await change(made, { rollout: 20 });
    const lowered = await offered('1.4');
    assert.ok(lowered.size < 80);
    await change(made, { rollout: 10, changelog: 'changed', version: '1.4.1' });
    assert.ok(isWithin(await offered('1.4.1'), lowered), 'whatever else changes');
    await change(made, { status: 'yanked' });
  });
  test('every release draws its activations anew', async () => {
    const [one, two] = [await release('1.5', 50), await release('1.6', 50)];
    const second = await offered('1.6');
    await change(two, { status: 'yanked' });
    const first = await offered('1.5');
    await change(one, { status: 'yanked' });
    const both = [...first].filter((token) => second.has(token)).length;
    assert.ok(both > 2 && both < 58, `${both} of 120 have both`);
  });
  test('1 and 99 are not nobody and everybody', async () => {
    const made = await release('1.7', 1);
    const few = (await offered('1.7')).size;
    await change(made, { rollout: 99 });
    const many = (await offered('1.7')).size;
    assert.ok(few < 12 && many > 108, `${few}, ${many}`);
    await change(made, { status: 'yanked' });
  });
  test('applies to an activation without entitlement too', async () => {
    const made = await release('1.8', 50);
    const [one = ''] = await offered('1.8');
    await api.ok('GET', `/licenses/deactivate/${one}`);
    assert.equal((await offered('1.8', [one])).size, 1);
    await change(made, { status: 'yanked' });
  });
});
