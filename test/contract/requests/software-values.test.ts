import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { asJson, NO_INTEGER, NO_TEXT, PAST_REFERENCE, shown } from './bad-values.ts';

const api = await startService({ after });
const total = async () => (await api.call('GET', '/software')).headers.get('x-wp-total');
/** The software that no refused request changes. */
const kept = await api.software({ product_ids: [5, 6], url: 'https://example.com' });
const read = async (id: number): Promise<Record_> =>
  (await api.ok('GET', '/software', { query: { per_page: 1000 } })).find((one: Record_) => one.id === id);

const quoted = (text: string) => JSON.stringify(text);
const NO_SCALAR_TEXT = [...NO_TEXT, '[]', '{}', '1.5'];
const NO_ADDRESS = [
  ...NO_SCALAR_TEXT,
  '"abc"',
  '"example.com"',
  '"/icon.png"',
  '"//example.com/icon.png"',
  '"https://"',
  '"ftp://example.com/"',
  '"javascript:alert(1)"',
  '"data:image/png;base64,AAAA"',
  '"file:///etc/passwd"',
  '" https://example.com"',
  '"https://example.com\\n"',
  quoted(`https://example.com/${'a'.repeat(2029)}`),
];
const icon = '"https://example.com/i"';
const NO_PICTURES = [
  '5',
  'true',
  '"abc"',
  icon,
  `[${icon}]`,
  `{"":${icon}}`,
  `{"a\\u0000":${icon}}`,
  `{${quoted('n'.repeat(33))}:${icon}}`,
  '{"1x":null}',
  '{"1x":""}',
  `{"1x":[${icon}]}`,
  `{"1x":{"a":${icon}}}`,
  `{${Array.from({ length: 17 }, (_, i) => `"${i}x":${icon}`)}}`,
  ...NO_ADDRESS.map((address) => `{"1x":${icon},"2x":${address}}`),
];
const BAD: Record<string, string[]> = {
  name: [...NO_SCALAR_TEXT, quoted('a'.repeat(256)), quoted('😀'.repeat(256))],
  slug: [
    ...NO_SCALAR_TEXT,
    ...['a b', ' a', 'a ', '-a', '.a', '_a', 'a/b', '..', 'a?b', 'a#b', 'a%20b', '😀', 'a\n'].map(quoted),
    ...['1', '007', '9'.repeat(191)].map(quoted),
    quoted('a'.repeat(192)),
  ],
  type: [...NO_SCALAR_TEXT, quoted('a'.repeat(33))],
  url: NO_ADDRESS,
  product_ids: [
    ...NO_INTEGER.filter((literal) => !literal.startsWith('[') || literal === '["abc"]'),
    ...PAST_REFERENCE,
    '[1,"abc"]',
    '[1,1.5]',
    '[-1]',
    '[true]',
    '[null]',
    '[""]',
    '[[1]]',
    '[{"a":1}]',
    '["1,2"]',
    '"1,2"',
    `[${Array.from({ length: 1001 }, (_, i) => i)}]`,
  ],
  access: ['5', '0', 'true', '"free"', '"public "', '"licensed,public"', '["public"]', '{}', '"\\u0000"'],
  tested: [...NO_SCALAR_TEXT, quoted('1'.repeat(65))],
  requires: [...NO_SCALAR_TEXT, quoted('1'.repeat(65))],
  requires_php: [...NO_SCALAR_TEXT, quoted('1'.repeat(65))],
  icons: NO_PICTURES,
  banners: NO_PICTURES,
};
for (const [field, literals] of Object.entries(BAD)) {
  suite(`${field} of software`, () => {
    for (const literal of literals) {
      test(`create with ${shown(literal)} answers 422 naming it, nothing created`, async () => {
        const sent = { name: '"Bad"', slug: quoted(newName()), [field]: literal };
        const before = await total();
        const body = await api.fails(422, 'data_error', 'POST', '/software', asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.equal(await total(), before);
      });
      test(`update with ${shown(literal)} answers 422 naming it, nothing changed`, async () => {
        const sent = { tested: '"9"', product_ids: '[7]', [field]: literal };
        const body = await api.fails(422, 'data_error', 'PUT', `/software/${kept.id}`, asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.deepEqual(await read(kept.id), kept);
      });
    }
  });
}

suite('values at their maximum length are accepted', () => {
  const LONGEST: Record<string, unknown> = {
    name: '😀'.repeat(255),
    slug: `ß${'a'.repeat(190)}`,
    type: 'a'.repeat(32),
    url: `https://example.com/${'a'.repeat(2028)}`,
    product_ids: Array.from({ length: 1000 }, (_, i) => i),
    tested: '1'.repeat(64),
    icons: Object.fromEntries(
      Array.from({ length: 16 }, (_, i) => [String(i).padEnd(32, 'x'), 'https://e.com']),
    ),
  };
  for (const [field, value] of Object.entries(LONGEST)) {
    test(field, async () => {
      assert.deepEqual((await api.software({ [field]: value }))[field], value);
    });
  }
});

suite('required values', () => {
  for (const [what, sent] of [
    ['not sent', {}],
    ['null', { name: 'null' }],
    ['""', { name: '""' }],
  ] as const) {
    test(`name ${what} on create answers 422 naming it`, async () => {
      const body = await api.fails(422, 'data_error', 'POST', '/software', asJson({ slug: '"s"', ...sent }));
      assert.deepEqual(Object.keys(body.data.params), ['name']);
    });
  }
  for (const field of ['name', 'slug']) {
    for (const literal of ['null', '""']) {
      test(`${field} ${literal} on update answers 422 naming it, nothing changed`, async () => {
        const options = asJson({ tested: '"9"', [field]: literal });
        const body = await api.fails(422, 'data_error', 'PUT', `/software/${kept.id}`, options);
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.deepEqual(await read(kept.id), kept);
      });
    }
  }
  test('one answer names all errors', async () => {
    const { id } = kept;
    const json = Object.fromEntries(Object.keys(BAD).map((name) => [name, { no: 5 }]));
    for (const [method, path] of [
      ['POST', '/software'],
      ['PUT', `/software/${id}`],
    ] as const) {
      const body = await api.fails(422, 'data_error', method, path, { json });
      assert.deepEqual(Object.keys(body.data.params).sort(), Object.keys(BAD).sort());
      for (const name of Object.keys(BAD)) assert.match(body.message, new RegExp(`\\b${name}\\b`));
    }
  });
});
