import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a dependency of the console workspace
import i18next from 'i18next';
import { subjectOf } from '../../console/features/audit/subject.ts';
import { de } from '../../console/messages/de/index.ts';
import { en } from '../../console/messages/en/index.ts';
import { changeWords, type Kind, valueWords } from '../../console/ui/change-words.ts';
import { formatRelative } from '../../console/ui/format.ts';
import { COMPATIBILITIES, ENDPOINTS, PERMISSIONS } from '../../src/domain/api-key.ts';
import { ENDPOINT_KINDS, ENDPOINT_STATES } from '../../src/domain/events/endpoint.ts';
import { LICENSE_SOURCE, LICENSE_STATUSES } from '../../src/domain/licenses/license.ts';
import { CHANNELS, RELEASE_STATUSES } from '../../src/domain/releases/release.ts';
import { ACCESSES } from '../../src/domain/releases/software.ts';
import { ENDED_AS, SEAT_MATCHES } from '../../src/domain/seats.ts';
import { INVITATION_PURPOSES } from '../../src/domain/session.ts';
import { ROLES } from '../../src/domain/user.ts';

await i18next.init({ resources: { en, de }, fallbackLng: false, interpolation: { escapeValue: false } });

/** The coded values of records. */
const CODES: [Kind, name: string, values: readonly unknown[]][] = [
  ['license', 'status', LICENSE_STATUSES.map((_, i) => i + 1)],
  ['license', 'source', Object.values(LICENSE_SOURCE)],
  ['license', 'ended_as', ENDED_AS],
  ['license', 'match', SEAT_MATCHES],
  ['api_key', 'permission', PERMISSIONS],
  ['api_key', 'compatibility', COMPATIBILITIES],
  ['api_key', 'endpoints', ENDPOINTS.map((one) => [one])],
  ['event_endpoint', 'kind', ENDPOINT_KINDS],
  ['event_endpoint', 'state', ENDPOINT_STATES],
  ['release', 'channel', CHANNELS],
  ['release', 'status', RELEASE_STATUSES],
  ['software', 'access', ACCESSES],
  ['user', 'role', ROLES],
  ['user', 'purpose', INVITATION_PURPOSES],
  ['user', 'second_factor', ['totp', 'recovery_code', true, false]],
];

for (const language of ['en', 'de'])
  suite(`texts of record values, ${language}`, () => {
    for (const [kind, name, values] of CODES)
      test(`${kind} ${name}`, async () => {
        await i18next.changeLanguage(language);
        const told = values.map((value) => valueWords(kind, name, value));
        assert.equal(new Set(told).size, values.length);
        for (const [i, one] of told.entries()) assert.notEqual(one, String(values[i]));
      });
  });

test('an empty list is worded in a change', async () => {
  await i18next.changeLanguage('en');
  assert.equal(changeWords('license', 'tags', [], ['VIP']), 'Tags: none → VIP');
  assert.equal(changeWords('license', 'meta', {}, { a: 'b' }), 'Metadata: none → a: b');
  assert.equal(changeWords('api_key', 'products', [], [7]), 'Products: all → 7');
});

test('texts and metadata, which customers and files can set, are shown as they are', async () => {
  await i18next.changeLanguage('en');
  for (const text of ['0000-00-00 00:00:00', '2026-11-27 10:00:00'])
    for (const name of ['label', 'note', 'tags']) assert.equal(valueWords('license', name, text), text);
  const meta = {
    expires_at: '0000-00-00 00:00:00',
    expiry: '2027-01-01',
    columns: '3 wide',
    products: 'a',
    size: '7',
    from: ['2026-11-27 10:00:00', 'b'],
    valueOf: 'c',
    toString: 'd',
    status: 'e',
  };
  assert.equal(
    valueWords('license', 'meta', meta),
    'expires_at: 0000-00-00 00:00:00, expiry: 2027-01-01, columns: 3 wide, products: a, size: 7, ' +
      'from: 2026-11-27 10:00:00, b, valueOf: c, toString: d, status: e',
  );
  assert.equal(
    valueWords('license', 'meta', { expiry: null, products: null }),
    'expiry: none, products: none',
  );
});

test('the times of records and of filters are formatted', async () => {
  await i18next.changeLanguage('de');
  const range = { from: '2031-02-03 12:05:06', before: null };
  assert.match(valueWords('license', 'created_at', range), /^from: 0?3\.02\.2031, .*, before: leer$/);
  assert.match(valueWords('license', 'expiry', range), /^0?3\.02\.2031, .* – …$/);
  assert.match(valueWords('event_endpoint', 'old_secret_until', range.from), /^0?3\.02\.2031/);
});

test('a relative time counts in days, months and years without naming a calendar date', async () => {
  const now = Date.UTC(2026, 10, 24);
  const told = (value: string) => formatRelative(`${value}:00`, now);
  await i18next.changeLanguage('en');
  assert.equal(told('2028-02-21 00:00'), 'in 15 months');
  assert.equal(told('2029-02-21 00:00'), 'in 2 years');
  assert.equal(told('2026-12-26 00:00'), 'in 1 month');
  assert.equal(told('2026-11-22 20:00'), '1 day ago');
  assert.equal(told('2026-11-23 23:59'), '1 minute ago');
  assert.equal(told('2026-11-24 00:00'), 'now');
  await i18next.changeLanguage('de');
  assert.equal(told('2026-11-22 20:00'), 'vor 1 Tag');
});

test('a change is described in the current language', async () => {
  await i18next.changeLanguage('en');
  assert.equal(changeWords('license', 'status', 3, 5), 'Status: Active → Disabled');
  assert.equal(changeWords('license', 'valid_for', 0, 30), 'Valid for: never → 30 days');
  assert.equal(changeWords('license', 'seat_ttl', 0, 5_400), 'Seat lapses after: Node-locked → 90 minutes');
  assert.equal(changeWords('license', 'reclaim_after_days', 0, 90), 'Reclaim after: never → 90 days');
  assert.equal(changeWords('license', 'entitlements', [], ['pro', 'x']), 'Entitlements: none → pro, x');
  assert.equal(changeWords('license', 'lease_grace_days', 7, 0), 'Grace period of leases: 7 days → 0 days');
  assert.equal(changeWords('api_key', 'products', null, [7, 8]), 'Products: all → 7, 8');
  await i18next.changeLanguage('de');
  assert.equal(changeWords('license', 'status', 3, 5), 'Status: Aktiv → Gesperrt');
  assert.equal(changeWords('license', 'order_id', null, 7), 'Bestellung: leer → 7');
  assert.equal(changeWords('release', 'rollout', 25, 100), 'Verteilung: 25\u00a0% → 100\u00a0%');
  assert.match(
    changeWords('license', 'expires_at', null, '2031-02-03 12:05:06'),
    /^Läuft ab: nie → 0?3\.02\.2031/,
  );
  assert.equal(valueWords('api_key', 'endpoints', ['licenses.validate']), 'Lizenzen: Prüfen');
  assert.equal(valueWords('license', 'something new', 'as it is'), 'as it is');
});

test('the audit filter accepts a record as people write it in their language', () => {
  const inEnglish = i18next.getFixedT('en', 'audit');
  for (const text of ['license 3120', 'License #3120', 'license:3120', '3120', ' LICENSE 3120 '])
    assert.equal(subjectOf(text, inEnglish), 'license:3120', text);
  assert.equal(subjectOf('API key 4', inEnglish), 'api_key:4');
  assert.equal(subjectOf('api_key:4', inEnglish), 'api_key:4');
  assert.equal(subjectOf('event endpoint 3', inEnglish), 'event_endpoint:3');
  assert.equal(subjectOf('Lizenz 3120', i18next.getFixedT('de', 'audit')), 'license:3120');
  for (const text of ['license', 'license x', 'order 7', 'master key 1', ''])
    assert.equal(subjectOf(text, inEnglish), null, text);
});
