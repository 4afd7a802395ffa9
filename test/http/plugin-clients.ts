import type { Answer } from '../support/http/api.ts';
import {
  checkerStatus,
  isDate,
  net,
  PHP_ERROR,
  php,
  phpField,
  phpLicense,
  python,
  updaterForm,
} from './plugin-answers.ts';

/**
 * The requests of the published clients of Digital License Manager, and what the clients read in the answers, with
 * API keys as a migration creates them. From their public sources: dlm-php, dlm-python, dlm-cpp, dlm-wp-updater,
 * dlm-wp-simple-checker, DLM-NET.
 */

/** The state that a client keeps between its requests. */
export interface Kept {
  key: string;
  token: string;
  software: number;
}
type Form = URLSearchParams | FormData;
interface Sent {
  method?: string;
  /** The URL after the origin of the shop, as the client builds it. */
  url: string;
  body?: Form;
}
type Step = [
  does: string,
  sends: (kept: Kept) => Sent,
  /** Returns what the client reads in the answer. May store parts of the answer in `kept`. */
  reads: (answer: Answer['body'], kept: Kept) => unknown,
  finds: unknown | ((kept: Kept) => unknown),
];
interface Client {
  name: string;
  /** The shop's own key, or a key that ships in programs. */
  apiKey: 'shop' | 'shipped';
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
export const CLIENTS: Client[] = [
  {
    name: 'dlm-php',
    apiKey: 'shop',
    userAgent: 'DLM cURL Client v10',
    steps: [
      ...(['created', 'refused because it exists'] as const).map(
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
        'updates it with a form',
        send('PUT', ofKey, () =>
          form({ order_id: 15, product_id: 15, user_id: 2, activations_limit: 2, status: 1 }),
        ),
        ({ data }) => [data.order_id, data.product_id, data.user_id, data.activations_limit, data.status],
        [15, 15, 2, 2, 1],
      ],
      ['finds it', get(ofKey), (body) => [php(body).success, phpField('is_expired')(body)], [true, false]],
      ['finds no other license', get(() => '/XXXX-XXXX-XXXX-1234'), php, PHP_ERROR],
      ['lists licenses', get(() => ''), (body) => Array.isArray(php(body).data), true],
      ...['site1.com', 'site2.com'].map(
        (label): Step => [
          `activates ${label}`,
          get(activate, () => `label=${label}`),
          (body, kept) => keepToken(phpField('token')(body), kept).length,
          40,
        ],
      ),
      ['is refused a third site', get(activate, () => 'label=site3.com'), php, PHP_ERROR],
      ['validates', get(validate), phpField('label'), 'site2.com'],
      ['deactivates', get(deactivate), phpField('label'), 'site2.com'],
      [
        'validates the deactivated activation',
        get(validate),
        (body) => isDate(phpField('deactivated_at')(body)),
        true,
      ],
      ['deletes it', send('DELETE', ofKey), php, { success: true, data: [] }],
      ['no longer finds it', get(ofKey), php, PHP_ERROR],
    ],
  },
  {
    name: 'dlm-python',
    apiKey: 'shipped',
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
      ['is told about a wrong key', get(() => '/activate/W0Z2-5203'), python, null],
    ],
  },
  {
    name: 'dlm-cpp',
    apiKey: 'shop',
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
    apiKey: 'shipped',
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
        'checks for an update',
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
    apiKey: 'shipped',
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
    apiKey: 'shipped',
    userAgent: '',
    // With the plugin, too, this client throws if one of these is null.
    license: { order_id: 1, product_id: 2, user_id: 3, valid_for: 30, activations_limit: 0 },
    steps: [
      ['activates', get(activate), (body, kept) => keepToken(net(body).token, kept).length, 40],
      ['finds the license', get(ofKey), (body) => net(body).activations.length, 1],
      ['validates', get(validate), (body) => net(body).deactivated_at, null],
      ['deactivates', get(deactivate), (body) => isDate(net(body).deactivated_at), true],
      ['validates again: not active', get(validate), (body) => isDate(net(body).deactivated_at), true],
      ['is told about a wrong key', get(() => '/nothing'), (body) => typeof net(body).message, 'string'],
    ],
  },
];
