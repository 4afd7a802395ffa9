import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

/** What an update answer tells each client, and who gets a download URL (contract section 8). */
let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const news = (software: number, query: Record<string, unknown> = {}): Promise<Record_> =>
  api.ok('GET', `/software/${software}`, { query });

interface Holder {
  token: string;
  key: string;
}
const activated = async (license: Record<string, unknown>, software?: number): Promise<Holder> => {
  const { license_key: key } = await api.license({ product_id: 7, ...license });
  const { token } = await api.activation(key, software ? { software } : {});
  return { token, key };
};
const update = ({ key }: Holder, json: object) => api.ok('PUT', `/licenses/${key}`, { json });

/**
 * How an activation gets into its state, and whether it then entitles to software of product 7 and to
 * software for all.
 */
type Case = [
  what: string,
  make: (software: number) => Promise<Holder>,
  entitles: { to7: boolean; toAll: boolean },
];
const BOTH = { to7: true, toAll: true };
const NEITHER = { to7: false, toAll: false };
const CASES: Case[] = [
  ['an active activation for the software', (software) => activated({}, software), BOTH],
  ['an active activation without software', () => activated({}), BOTH],
  [
    'an active activation for other software',
    async () => activated({}, (await api.software({ product_ids: [7] })).id),
    BOTH,
  ],
  ['an activation of a license with status sold', () => activated({ status: 1 }), BOTH],
  ['an activation of a license with status inactive', () => activated({ status: 4 }), BOTH],
  [
    'a deactivated activation',
    async () => {
      const holder = await activated({});
      await api.ok('GET', `/licenses/deactivate/${holder.token}`);
      return holder;
    },
    NEITHER,
  ],
  [
    'a reactivated activation',
    async () => {
      const holder = await activated({});
      await api.ok('GET', `/licenses/deactivate/${holder.token}`);
      await api.activation(holder.key, { token: holder.token });
      return holder;
    },
    BOTH,
  ],
  [
    'an activation of an expired license',
    async () => {
      const holder = await activated({});
      await update(holder, { expires_at: '2030-06-01 11:59:59' });
      return holder;
    },
    NEITHER,
  ],
  [
    'an activation of a license in its last second',
    async () => {
      const holder = await activated({});
      await update(holder, { expires_at: '2030-06-01 12:00:00' });
      return holder;
    },
    BOTH,
  ],
  [
    'an activation of a disabled license',
    async () => {
      const holder = await activated({});
      await update(holder, { status: 5 });
      return holder;
    },
    NEITHER,
  ],
  [
    'an activation of a license of another product',
    () => activated({ product_id: 8 }),
    { to7: false, toAll: true },
  ],
  [
    'an activation of a license without a product',
    () => activated({ product_id: null }),
    { to7: false, toAll: true },
  ],
  [
    'an activation of a deleted license',
    async () => {
      const holder = await activated({});
      await api.ok('DELETE', `/licenses/${holder.key}`);
      return holder;
    },
    NEITHER,
  ],
];

for (const [products, software] of [
  ['of product 7', await api.software({ product_ids: [6, 7] })],
  ['for all licenses', await api.software()],
] as const) {
  const open = await api.software({ product_ids: software.product_ids, access: 'public' });
  for (const { id } of [software, open]) {
    await api.release(id, { version: '1.0.0', changelog: 'First' });
  }
  for (const [what, make, entitles] of CASES) {
    const isEntitled = products === 'of product 7' ? entitles.to7 : entitles.toAll;
    test(`${what} gets ${isEntitled ? 'license and download' : 'neither license nor download'} from licensed software ${products}`, async () => {
      const { token, key } = await make(software.id);
      const { license, download_url, ...others } = await news(software.id, { activation_token: token });
      const { license: _, download_url: none, ...nobody } = await news(software.id);
      assert.deepEqual([license, download_url !== ''], isEntitled ? [key, true] : ['', false]);
      assert.equal(none, '');
      assert.deepEqual(others, nobody, 'the other fields are the same for everybody');
      assert.deepEqual([others.version, others.details.sections.changelog], ['1.0.0', 'First']);
    });
    test(`${what} gets a download and ${isEntitled ? '' : 'no '}license from public software ${products}`, async () => {
      const { token, key } = await make(open.id);
      const { license, download_url } = await news(open.id, { activation_token: token });
      assert.equal(license, isEntitled ? key : '');
      assert.equal((await fetch(download_url)).status, 200);
    });
  }
  const unknown = {
    unknown: '0'.repeat(40),
    empty: '',
    odd: 'x',
    'with NUL': 'a\0b',
    long: 'f'.repeat(5000),
  };
  for (const [what, token] of Object.entries(unknown)) {
    test(`a token that is ${what} counts as none for software ${products}`, async () => {
      for (const { id } of [software, open]) {
        const { download_url: one, ...others } = await news(id, { activation_token: token });
        const { download_url: two, ...nobody } = await news(id);
        assert.deepEqual(others, nobody);
        assert.deepEqual([one !== '', two !== ''], [id === open.id, id === open.id]);
      }
    });
  }
  test(`several tokens count as none for software ${products}`, async () => {
    const { token } = await activated({});
    const path = `/software/${software.id}?activation_token[]=${token}`;
    assert.equal((await api.ok('GET', path)).license, '');
  });
  test(`type and other parameters change nothing for software ${products}`, async () => {
    const { token } = await activated({});
    const { download_url: _, ...wanted } = await news(software.id, { activation_token: token });
    for (const more of [
      { type: 'wp' },
      { type: 'php' },
      { type: '' },
      { 'type[]': 'x' },
      { software_id: 5, x: 1 },
    ]) {
      const answer = await news(software.id, { activation_token: token, ...more });
      assert.deepEqual({ ...answer, download_url: undefined }, { ...wanted, download_url: undefined });
      assert.notEqual(answer.download_url, '');
    }
  });
}

test('a renewed license entitles again, until it expires', async () => {
  const { id } = await api.software({ product_ids: [7] });
  await api.release(id);
  const holder = await activated({}, id);
  const licenseNow = async () => (await news(id, { activation_token: holder.token })).license;
  await update(holder, { expires_at: '2030-01-01' });
  assert.equal(await licenseNow(), '');
  await update(holder, { expires_at: '2031-01-01' });
  assert.equal(await licenseNow(), holder.key);
  now = Date.parse('2031-01-01T00:00:01Z');
  assert.equal(await licenseNow(), '');
});

suite('without a release to offer', () => {
  for (const [what, values] of [
    ['no release', null],
    ['a draft', { status: 'draft' }],
    ['a yanked release', { status: 'yanked' }],
    ['a release in another channel', { channel: 'beta' }],
    ['a release with rollout 0', { rollout: '0' }],
  ] as const) {
    test(`version, stable_tag and download_url are "" if there is ${what}`, async () => {
      const { id, slug } = await api.software({ product_ids: [7], access: 'public' });
      if (values) await api.release(id, { changelog: 'Secret', upgrade_notice: 'Secret', ...values });
      const { key, token } = await activated({}, id);
      assert.deepEqual(await news(id, { activation_token: token }), {
        name: 'Test',
        version: '',
        license: key,
        download_url: '',
        url: '',
        details: {
          name: 'Test',
          slug,
          tested: '',
          requires: '',
          requires_php: '',
          last_updated: '',
          stable_tag: '',
          versions: [],
          sections: { changelog: '' },
        },
      });
    });
  }
});

test('WordPress shows the version in the details for clients of the plugin, and no page of its directory', async () => {
  const { id: software } = await api.software();
  await api.release(software, { version: '1.5.0' });
  const plugin = await withApiKey(api, { compatibility: 'plugin' });
  const { details } = await plugin.ok('GET', `/software/${software}`);
  assert.deepEqual([details.version, details.external], ['1.5.0', true]);
  const documented = (await api.ok('GET', `/software/${software}`)).details;
  assert.ok(!('version' in documented) && !('external' in documented));
});

test('HEAD answers like GET, without a body', async () => {
  const { id } = await api.software();
  const { status, headers, body } = await api.call('HEAD', `/software/${id}`);
  assert.deepEqual([status, body], [200, '']);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
});

test('clients of the plugin get changelogs as HTML, of the same versions, each with a heading', async () => {
  const { id: software } = await api.software();
  const long = `**Two**${' b'.repeat(40_000 / 2)}`;
  for (const [version, changelog] of [
    ['1.0', '- One'],
    ['2.0', long],
    ['3.0', `<p onclick="x()">Three</p>${'c'.repeat(40_000)}`],
  ] as const)
    await api.release(software, { version, changelog });
  const plugin = await withApiKey(api, { compatibility: 'plugin' });
  const ask = (query = {}) => plugin.call('GET', `/software/${software}`, { query });
  const { headers, body } = await ask();
  assert.match(body.data.details.sections.changelog, /^<h4>3\.0 – 2030-06-01<\/h4>\n<p>Three<\/p>c+$/);
  assert.match(headers.get('link') ?? '', /changelog_from=2\.0>/);
  const { changelog } = (await ask({ changelog_from: '2.0' })).body.data.details.sections;
  assert.match(changelog, /^<h4>2\.0 – 2030-06-01<\/h4>\n<p><strong>Two<\/strong> b/);
  assert.match(changelog, /b<\/p>\n<h4>1\.0 – 2030-06-01<\/h4>\n<ul>\n<li>One<\/li>\n<\/ul>$/);
  const stored: Record_[] = await plugin.ok('GET', `/software/${software}/releases`);
  assert.equal(stored.find(({ version }) => version === '2.0')?.changelog, long);
});
