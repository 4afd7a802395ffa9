import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { API_KEY_PRESETS, type ApiKeyRights } from '../../src/domain/api-key.ts';
import { runSql } from '../support/engine.ts';
import { type Answer, type Api, basicHeader, newKey, type Record_ } from '../support/http/api.ts';
import { withApiKey } from '../support/http/api-keys.ts';
import { startService } from '../support/service.ts';

/**
 * What the published clients of Digital License Manager send, and what they read in the answers, with API keys as a move
 * leaves them. From their public sources: dlm-php, dlm-python, dlm-cpp, dlm-wp-updater, dlm-wp-simple-checker, DLM-NET.
 */
const api = await startService({ after });
const LIKE_PLUGIN: Partial<ApiKeyRights> = { compatibility: 'plugin' };
const shop = await withApiKey(api, LIKE_PLUGIN);
const shipped = await withApiKey(api, { ...API_KEY_PRESETS.client, ...LIKE_PLUGIN });

/** What a client keeps between its requests. */
interface Kept {
  key: string;
  token: string;
  software: number;
}
type Form = URLSearchParams | FormData;
interface Sent {
  method?: string;
  /** Behind the address of the shop, as the client builds it. */
  url: string;
  body?: Form;
}
type Step = [
  does: string,
  sends: (kept: Kept) => Sent,
  /** What the client reads. May keep some of it. */
  reads: (answer: Answer['body'], kept: Kept) => unknown,
  finds: unknown | ((kept: Kept) => unknown),
];
interface Client {
  name: string;
  apiKey: Api & { credentials: { consumerKey: string; consumerSecret: string } };
  userAgent: string;
  /** The license that the customer bought. */
  license?: Record<string, unknown>;
  steps: Step[];
}

const V1 = '/wp-json/dlm/v1';
const licenses = (path: string, query = '') => `${V1}/licenses${path}${query && `?${query}`}`;
const get =
  (path: (kept: Kept) => string, query: (kept: Kept) => string = () => '') =>
  (kept: Kept): Sent => ({ url: licenses(path(kept), query(kept)) });
const form = (values: Record<string, string | number>) =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
/** dlm-cpp percent-encodes the values of its multipart forms. */
const encodedForm = (values: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.append(name, encodeURIComponent(value));
  return data;
};
const send =
  (method: string, path: (kept: Kept) => string, body?: (kept: Kept) => Form) =>
  (kept: Kept): Sent => ({ method, url: licenses(path(kept)), ...(body && { body: body(kept) }) });

const ofKey = ({ key }: Kept) => `/${key}`;
const activate = ({ key }: Kept) => `/activate/${key}`;
const validate = ({ token }: Kept) => `/validate/${token}`;
const deactivate = ({ token }: Kept) => `/deactivate/${token}`;
const keepToken = (token: string, kept: Kept): string => {
  kept.token = token;
  return token;
};
const DATETIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const isDate = (value: unknown) => typeof value === 'string' && DATETIME.test(value);

/** dlm-php: an error is what has code, message and data; else `success` and `data` count. */
const php = (body: Record_) =>
  body.code !== undefined && body.message !== undefined && body.data !== undefined
    ? { error: [typeof body.code, typeof body.message] }
    : { success: Boolean(body.success), data: body.data };
const phpField = (name: string) => (body: Record_) => php(body).data?.[name];
const PHP_ERROR = { error: ['string', 'string'] };
const phpLicense = {
  order_id: 10,
  product_id: 10,
  user_id: 1,
  valid_for: 365,
  activations_limit: 1,
  status: 3,
};

/** dlm-python: an error is what has a code. */
const python = (body: Record_) => ('code' in body ? null : body.data);

/** The form of dlm-wp-updater: the state of the license, and the button beside it. */
function updaterForm(body: Record_): [shown: string, button: string] {
  const isError = body.message !== undefined && body.data?.status !== undefined;
  const data = isError ? {} : body.data;
  const isExpired = data.license?.is_expired ?? true;
  if (isExpired) return ['expired or invalid', 'Activate'];
  return data.deactivated_at ? ['deactivated', 'Reactivate'] : ['valid', 'Deactivate'];
}

/** dlm-wp-simple-checker, by what its hourly job has stored of two answers. */
function checkerStatus({ expiresAt, token, deactivatedAt }: Record<string, string | null>): string {
  if (expiresAt && expiresAt <= '2030-01-01 00:00:00') return 'expired';
  if (!token) return 'missing_token';
  return deactivatedAt ? 'disabled' : 'active';
}

/** DLM-NET throws for a value of another type than its class has; a field that is missing stays at its default. */
const INTEGERS = [
  ...['id', 'order_id', 'product_id', 'user_id', 'valid_for', 'source', 'status', 'license_id'],
  ...['times_activated', 'activations_limit'],
];
const TEXTS = [
  ...['license_key', 'expires_at', 'created_at', 'updated_at', 'token', 'label', 'ip_address', 'user_agent'],
  'deactivated_at',
];
function deserialized(value: Record_): Record_ {
  for (const [name, one] of Object.entries<Record_>(value)) {
    if (INTEGERS.includes(name)) assert.ok(Number.isInteger(one), `${name}: ${one}`);
    if (TEXTS.includes(name)) assert.ok(one === null || typeof one === 'string', `${name}: ${one}`);
    if (name === 'meta_data') assert.ok(Array.isArray(one), name);
    if (name === 'license') deserialized(one);
    if (name === 'activations') one.forEach(deserialized);
  }
  return value;
}
const net = ({ code, message, data }: Record_) => (code && message ? { message } : deserialized(data));

const CLIENTS: Client[] = [
  {
    name: 'dlm-php',
    apiKey: shop,
    userAgent: 'DLM cURL Client v10',
    steps: [
      ...(['created', 'refused as it exists'] as const).map(
        (end): Step => [
          `creates a license: ${end}`,
          send(
            'POST',
            () => '',
            ({ key }) => form({ ...phpLicense, license_key: key }),
          ),
          (body) => (end === 'created' ? phpField('license_key')(body) : php(body)),
          end === 'created' ? ({ key }: Kept) => key : PHP_ERROR,
        ],
      ),
      [
        'updates it by a form',
        send('PUT', ofKey, () =>
          form({ order_id: 15, product_id: 15, user_id: 2, activations_limit: 2, status: 1 }),
        ),
        ({ data }) => [data.order_id, data.product_id, data.user_id, data.activations_limit, data.status],
        [15, 15, 2, 2, 1],
      ],
      ['finds it', get(ofKey), (body) => [php(body).success, phpField('is_expired')(body)], [true, false]],
      ['finds no other', get(() => '/XXXX-XXXX-XXXX-1234'), php, PHP_ERROR],
      ['lists licenses', get(() => ''), (body) => Array.isArray(php(body).data), true],
      ...['site1.com', 'site2.com'].map(
        (label): Step => [
          `activates ${label}`,
          get(activate, () => `label=${label}`),
          (body, kept) => keepToken(phpField('token')(body), kept).length,
          40,
        ],
      ),
      ['activates no third site', get(activate, () => 'label=site3.com'), php, PHP_ERROR],
      ['validates', get(validate), phpField('label'), 'site2.com'],
      ['deactivates', get(deactivate), phpField('label'), 'site2.com'],
      [
        'validates what it has deactivated',
        get(validate),
        (body) => isDate(phpField('deactivated_at')(body)),
        true,
      ],
      ['deletes it', send('DELETE', ofKey), php, { success: true, data: [] }],
      ['finds it no more', get(ofKey), php, PHP_ERROR],
    ],
  },
  {
    name: 'dlm-python',
    apiKey: shipped,
    userAgent: 'Digital License Manager - Python Client v1.0.0',
    license: { expires_at: '2999-01-02 03:04:05', activations_limit: 3 },
    steps: [
      ['finds the license', get(ofKey), (body) => python(body)?.expires_at, '2999-01-02 03:04:05'],
      [
        'activates',
        get(activate, ({ software }) => `software=${software}`),
        (body, kept) => {
          const { token, license } = python(body);
          return [keepToken(token, kept).length, `${license.times_activated}/${license.activations_limit}`];
        },
        [40, '1/3'],
      ],
      ['validates', get(validate), (body) => python(body)?.deactivated_at || 'Never', 'Never'],
      ['deactivates', get(deactivate), (body) => python(body)?.license.times_activated, 0],
      ['validates again', get(validate), (body) => isDate(python(body)?.deactivated_at), true],
      ['hears of a wrong key', get(() => '/activate/W0Z2-5203'), python, null],
    ],
  },
  {
    name: 'dlm-cpp',
    apiKey: shop,
    userAgent: '',
    steps: [
      [
        'creates a license without validity and limit',
        send(
          'POST',
          () => '',
          ({ key }) =>
            encodedForm({
              license_key: key,
              status: '3',
              product_id: '7',
              expires_at: '2999-02-03 04:05:06',
            }),
        ),
        ({ data }) => [data.expires_at, data.valid_for, data.activations_limit],
        ['2999-02-03 04:05:06', null, 0],
      ],
      [
        'updates it by POST',
        send('POST', ofKey, () => encodedForm({ activations_limit: '2', status: 'delivered' })),
        ({ data }) => [data.activations_limit, data.status],
        [2, 2],
      ],
      ['gets it', get(ofKey), ({ data }) => data.activations, []],
      ['lists licenses', get(() => ''), ({ data }) => data.length > 0, true],
      [
        'activates',
        get(activate, () => `label=${encodeURIComponent('Büro 1')}`),
        ({ data }, kept) => [keepToken(data.token, kept).length, data.label],
        [40, 'Büro 1'],
      ],
      ['validates', get(validate), ({ success }) => success, true],
      ['deactivates', get(deactivate), ({ data }) => isDate(data.deactivated_at), true],
      [
        'validates again',
        get(validate),
        ({ success, data }) => [success, isDate(data.deactivated_at)],
        [true, true],
      ],
    ],
  },
  {
    name: 'dlm-wp-updater',
    apiKey: shipped,
    userAgent: 'WordPress/6.8; https://shop.example.com',
    steps: [
      [
        'activates',
        get(
          activate,
          ({ software }) =>
            `label=https://shop.example.com&software=${software}&meta[wp_version]=6.8&meta[php_version]=8.2.1`,
        ),
        ({ data }, kept) => keepToken(data.token, kept).length,
        40,
      ],
      ['shows the license', get(validate), updaterForm, ['valid', 'Deactivate']],
      [
        'asks for an update',
        ({ software, token }) => ({
          url: `${V1}/software/${software}?type=wp&activation_token=${token}&channel=stable`,
        }),
        ({ data }) => [data.details.stable_tag, data.download_url !== ''],
        ['1.0.0', true],
      ],
      [
        'deactivates',
        get(deactivate, ({ software }) => `software=${software}`),
        ({ success }) => success,
        true,
      ],
      ['offers to activate it again', get(validate), updaterForm, ['deactivated', 'Reactivate']],
      [
        'activates it again',
        get(activate, ({ token }) => `token=${token}`),
        ({ data }, { token }) => data.token === token && data.deactivated_at,
        null,
      ],
      ['shows the license again', get(validate), updaterForm, ['valid', 'Deactivate']],
      [
        'shows an unknown token',
        get(() => '/validate/none'),
        updaterForm,
        ['expired or invalid', 'Activate'],
      ],
    ],
  },
  {
    name: 'dlm-wp-simple-checker',
    apiKey: shipped,
    userAgent: 'DLM WP Client v10',
    steps: [
      [
        'activates',
        get(
          activate,
          () => 'label=https%3A%2F%2Fshop.example.com&meta%5Bwp_version%5D=6.8&meta%5Bphp_version%5D=8.2.1',
        ),
        ({ data }, kept) =>
          checkerStatus({ expiresAt: data.license.expires_at, token: keepToken(data.token, kept) }),
        'active',
      ],
      ['reads the expiry in its hourly job', get(ofKey), phpField('expires_at'), null],
      [
        'validates in its hourly job',
        get(validate),
        ({ data }) => checkerStatus({ token: data.token, deactivatedAt: data.deactivated_at }),
        'active',
      ],
      ['is deactivated', get(deactivate), ({ success }) => success, true],
      [
        'notices in its next job',
        get(validate),
        ({ data }) => checkerStatus({ token: data.token, deactivatedAt: data.deactivated_at }),
        'disabled',
      ],
    ],
  },
  {
    name: 'DLM-NET',
    apiKey: shipped,
    userAgent: '',
    // Against the plugin, too, it throws where one of these is null.
    license: { order_id: 1, product_id: 2, user_id: 3, valid_for: 30, activations_limit: 0 },
    steps: [
      ['activates', get(activate), (body, kept) => keepToken(net(body).token, kept).length, 40],
      ['finds the license', get(ofKey), (body) => net(body).activations.length, 1],
      ['validates', get(validate), (body) => net(body).deactivated_at, null],
      ['deactivates', get(deactivate), (body) => isDate(net(body).deactivated_at), true],
      ['validates again: not active', get(validate), (body) => isDate(net(body).deactivated_at), true],
      ['hears of a wrong key', get(() => '/nothing'), (body) => typeof net(body).message, 'string'],
    ],
  },
];

for (const { name, apiKey, userAgent, license, steps } of CLIENTS) {
  test(`${name}: ${steps.map(([does]) => does).join('; ')}`, async () => {
    const { id: software } = await api.software({ name: 'Acme' });
    await api.release(software);
    const kept: Kept = { key: newKey(), token: '', software };
    if (apiKey === shipped) await api.license({ license_key: kept.key, ...license });
    const headers = {
      authorization: basicHeader(apiKey.credentials),
      ...(userAgent && { 'user-agent': userAgent }),
    };
    for (const [does, sends, reads, finds] of steps) {
      const { url, ...init } = sends(kept);
      const response = await fetch(`${new URL(api.root).origin}${url}`, { ...init, headers });
      const body = await response.json();
      const found = reads(body, kept);
      const expected = typeof finds === 'function' ? finds(kept) : finds;
      assert.deepEqual(found, expected, `${does}: ${JSON.stringify(body)}`);
    }
  });
}

test('a deactivated activation that validates is counted; with a key as documented it is refused', async () => {
  const { license_key } = await api.license();
  const { token } = await api.activation(license_key);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  const validations = async () => {
    await api.flushUsage();
    const counts = await api.ok('GET', '/audit/counts');
    return counts.find(({ counted }: Record_) => counted === 'validations')?.count ?? 0;
  };
  const before = await validations();
  const { deactivated_at } = await shipped.ok('GET', `/licenses/validate/${token}`);
  assert.match(deactivated_at, DATETIME);
  assert.equal(await validations(), before + 1);
  await api.fails(404, 'data_error', 'GET', `/licenses/validate/${token}`);
  await shipped.fails(404, 'data_error', 'GET', `/licenses/validate/${'0'.repeat(40)}`);
  assert.equal(await validations(), before + 1);
});

test('a license is created without validity and limit, but not without a status; as documented, with all of them', async () => {
  const needed = { license_key: newKey(), status: 3 };
  const { valid_for, activations_limit, expires_at } = await shop.ok('POST', '/licenses', { json: needed });
  assert.deepEqual([valid_for, activations_limit, expires_at], [null, 0, null]);
  const read = await api.ok('GET', `/licenses/${needed.license_key}`);
  assert.deepEqual([read.valid_for, read.activations_limit], [0, 0]);
  const paramsOf = async (client: Api, json: object) =>
    Object.keys((await client.fails(422, 'data_error', 'POST', '/licenses', { json })).data.params);
  const other = { license_key: newKey() };
  assert.deepEqual(await paramsOf(shop, other), ['status']);
  assert.deepEqual(await paramsOf(api, other), ['valid_for', 'status', 'activations_limit']);
  // What is sent is still checked, and counts.
  const bad = { ...needed, license_key: newKey(), valid_for: -1, activations_limit: 'many' };
  assert.deepEqual(await paramsOf(shop, bad), ['valid_for', 'activations_limit']);
  const sent = { ...needed, license_key: newKey(), valid_for: 30, activations_limit: 2 };
  const whole = await shop.ok('POST', '/licenses', { json: sent });
  assert.deepEqual([whole.valid_for, whole.activations_limit], [30, 2]);
  assert.match(whole.expires_at, DATETIME);
});

test('numbers that the plugin has none of are null: in single records, lists, and generators', async () => {
  const license = await api.license({ activations_limit: 0 });
  const generator = await api.generator();
  const one = `/generators/${generator.id}`;
  const sameBut = (record: object, nulls: readonly string[]) => ({
    ...record,
    ...Object.fromEntries(nulls.map((name) => [name, null])),
  });
  const [inList] = await shop.ok('GET', '/licenses', { query: { license_key: license.license_key } });
  assert.deepEqual(inList, sameBut(license, ['valid_for']));
  // As a move leaves a license that no user of the shop has created.
  await runSql(api.dataDir, `update licenses set created_by = 0 where id = ${license.id}`);
  const createdBy = async (client: Api) =>
    (await client.ok('GET', `/licenses/${license.license_key}`)).created_by;
  assert.deepEqual([await createdBy(shop), await createdBy(api)], [null, 0]);
  const updated = await shop.ok('PUT', `/licenses/${license.license_key}`, { json: { valid_for: 0 } });
  assert.deepEqual([updated.valid_for, updated.activations_limit, updated.updated_by], [null, 0, 1]);
  const documented = await api.ok('GET', one);
  const nulls = ['activations_limit', 'expires_in'];
  assert.deepEqual(await shop.ok('GET', one), sameBut(documented, nulls));
  assert.deepEqual((await shop.ok('GET', '/generators'))[0], sameBut(documented, nulls));
  const changed = await shop.ok('PUT', one, { json: { name: 'Changed' } });
  for (const name of [...nulls, 'timesActivatedMax', 'expiresIn']) assert.equal(changed[name], null, name);
  assert.equal(changed.createdBy, 1);
});
