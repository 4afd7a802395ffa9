import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: the console's dependency, whose texts are under test
import i18next from 'i18next';
import { errorOf } from '../../console/client/errors.ts';
import { reasonText } from '../../console/client/reasons.ts';
import { errors as german } from '../../console/messages/de/errors.ts';
import { common } from '../../console/messages/en/common.ts';
import { errors as english } from '../../console/messages/en/errors.ts';
import { WITHOUT_ID } from '../../console/ui/change-words.ts';
import { errorText } from '../../console/ui/feedback/error-text.ts';
import { SUBJECT_TYPES } from '../../src/domain/audit.ts';
import type { AddressFault, CsvFaultCode, Problem, ProblemCode } from '../../src/domain/problem.ts';
import { type AnyRefusal, REFUSAL_CODES } from '../../src/http/refusals.ts';
import { CSV_FAULTS, PROBLEMS } from '../../src/words/problems.ts';

/** Codes that the console never shows: they are about API keys, programs, flags, malformed requests and a busy server. */
const ELSEWHERE: (ProblemCode | AnyRefusal['code'])[] = [
  'invalid',
  'fingerprint_mismatch',
  'idempotency_key_reused',
  'activation_of_another_license',
  'too_many_keys_at_once',
  'staged_keys_exist',
  'root_key_needed',
  'root_key_differs',
  'root_key_exported',
  'spare_just_used',
  'too_many_revoked_keys',
  'api_key_exists',
  'products_only',
  'audit_of_all_products',
  'software_id_exists',
  'software_of_other_products',
  'download_not_found',
  'download_denied',
  'credentials_missing',
  'key_invalid',
  'secret_invalid',
  'bearer_token_refused',
  'no_permission',
  'endpoint_not_allowed',
  'invalid_paging',
  'generator_name_missing',
  'no_proxy',
  'not_encoded',
  'product_out_of_reach',
  'products_out_of_reach',
  'not_audit_head',
  'not_metadata',
  'one_redelivery',
  'fingerprint_mismatch',
  'idempotency_key_reused',
  'bad_list_value',
  'not_name_and_address',
];
/** Kinds of records that the console requests by id. */
const KINDS = [
  ...SUBJECT_TYPES.filter((type) => !WITHOUT_ID.includes(type)),
  ...['activation', 'delivery', 'session'],
];
const ADDRESS_FAULTS: AddressFault[] = [
  ...(['not_https', 'address_not_allowed', 'has_credentials', 'not_web_address'] as const),
];
const CODES: string[] = [
  ...KINDS.map((kind) => `${kind}_not_found`),
  ...[...REFUSAL_CODES, ...PROBLEMS].filter(
    (code) => !['bad_csv', 'address_refused', 'record_not_found'].includes(code) && !ELSEWHERE.includes(code),
  ),
  ...Object.keys(CSV_FAULTS).map((fault) => `bad_csv_${fault as CsvFaultCode}`),
  ...ADDRESS_FAULTS.map((fault) => `address_refused_${fault}`),
];

suite("texts for the server's codes", () => {
  before(() =>
    i18next.init({
      lng: 'en',
      defaultNS: 'common',
      resources: { en: { common, errors: english }, de: { errors: german } },
      interpolation: { escapeValue: false },
    }),
  );
  after(() => i18next.changeLanguage('en'));

  for (const [language, words] of Object.entries({ en: english, de: german })) {
    test(`every code has a text, in ${language}`, () => {
      const known = Object.keys(words).filter((code) => code !== 'keys_exhausted_unknown');
      assert.deepEqual(known.sort(), [...new Set(CODES)].sort());
    });
  }

  test('both languages use the same arguments', () => {
    const named = (text: string) => (text.match(/\{\{\w+\}\}/g) ?? []).sort();
    for (const [code, text] of Object.entries(english))
      assert.deepEqual(named(german[code as keyof typeof german]), named(text), code);
  });

  test('a reason is formatted with its arguments in the current language', async () => {
    const told = async (language: string, reason: Problem | { code: string; args: object }) => {
      await i18next.changeLanguage(language);
      return reasonText(reason as Parameters<typeof reasonText>[0]);
    };
    const range = { code: 'out_of_range', args: { min: 1, max: 7 } } as const;
    assert.equal(await told('de', range), 'Nötig ist eine ganze Zahl von 1 bis 7.');
    assert.equal(await told('en', range), 'This must be an integer from 1 to 7.');
    const one = { code: 'not_one_of', args: { allowed: ['licensed', 'public'] } } as const;
    assert.equal(await told('en', one), 'This must be one of licensed, public.');
    const csv = { code: 'bad_csv', args: { line: 7, fault: 'quote_not_closed' } } as const;
    assert.equal(await told('de', csv), 'In Zeile 7 beginnt ein Anführungszeichen, das nirgends endet.');
    const refused = { code: 'address_refused', args: { why: 'not_https' } } as const;
    assert.equal(await told('de', refused), 'Die Adresse muss mit https:// beginnen.');
    const exhausted = { code: 'keys_exhausted', args: { amount: 9, available: null } } as const;
    assert.match(String(await told('en', exhausted)), /too few unused keys left to make 9/);
    const nested = { code: 'bad_defaults', args: { fields: { validFor: range } } } as const;
    assert.match(String(await told('en', nested)), /validFor: This must be an integer from 1 to 7\.$/);
    const byId = { code: 'license_not_found', args: { named: { id: 7 } } };
    assert.equal(await told('de', byId), 'Die Lizenz 7 gibt es nicht.');
    assert.equal(await told('en', { code: 'of_a_later_server', args: {} }), null);
  });

  test('a refused request says why, even if the role is not the reason', async () => {
    await i18next.changeLanguage('en');
    const textOf = (code: string) =>
      errorText(errorOf(403, JSON.stringify({ data: { reason: { code, args: {} } } }), new Headers()));
    assert.equal(textOf('role_not_allowed'), 'Your role does not allow this.');
    assert.equal(textOf('csrf_wrong'), 'This page is out of date. Reload it.');
  });

  test('an error without a request ID comes from a proxy, and no ID is mentioned', async () => {
    await i18next.changeLanguage('en');
    const textOf = (status: number, headers: Record<string, string>) =>
      errorText(errorOf(status, '<h1>Bad Gateway</h1>', new Headers(headers)));
    for (const status of [502, 503, 504]) assert.match(textOf(status, {}), /proxy/, String(status));
    assert.match(textOf(502, {}), /502/);
    assert.match(textOf(413, {}), /proxy .* refused .* 413/);
    assert.match(textOf(500, { 'x-request-id': 'abc' }), /request ID/);
    assert.match(textOf(503, { 'x-request-id': 'abc' }), /busy/);
  });
});
