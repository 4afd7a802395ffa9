import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { keySuffixOf, type LicenseTerm, licenseSearch, termsOf } from './license-search.ts';

const kinds = (text: string) => termsOf(text).map(({ by }) => by);

test('what a text can mean', () => {
  const cases: Record<string, string[]> = {
    '': [],
    '  ': [],
    'ACME-12345-K7QF': ['key', 'start', 'label', 'tag', 'note'],
    k7qf: ['key', 'start', 'ending', 'label', 'tag', 'note'],
    'a b c d': ['key', 'label', 'tag', 'note'],
    '42': ['key', 'order', 'product', 'customer', 'label', 'tag', 'note'],
    '123456789012': ['key', 'start', 'ending', 'order', 'product', 'customer', 'label', 'tag', 'note'],
    '99999999999999999': ['key', 'start', 'label', 'tag', 'note'],
    '#42': ['key', 'order'],
    'Order #42': ['key', 'order', 'label', 'tag', 'note'],
    'order 42': ['key', 'order', 'label', 'tag', 'note'],
    'Bestellung 42': ['key', 'order', 'label', 'tag', 'note'],
    'order: #42': ['key', 'order'],
    'product:#42': ['key'],
    'order: 42': ['key', 'order'],
    'Customer:42': ['key', 'customer'],
    'user:42': ['key', 'customer'],
    'a@b.example': ['key', 'start', 'ending', 'email', 'label', 'tag', 'note'],
    'email:a': ['key', 'email'],
    'customer:a@': ['key', 'email'],
    'customer:a': ['key'],
    'order:x': ['key'],
    'ending:7QF': ['key'],
    'ending:K7QF': ['key', 'ending'],
    'label:Marie': ['key', 'label'],
    'tag: VIP': ['key', 'tag'],
    'note:paid by bank': ['key', 'note'],
    'note:…': ['key'],
    'key:order:42': ['key'],
    'constructor:42': ['key', 'start', 'label', 'tag', 'note'],
    'start:ACM': ['key'],
    'start:ACME': ['key', 'start'],
    '192.0.2.7': ['key', 'start', 'ending', 'label', 'address', 'tag', 'note'],
    '2001:db8::1': ['key', 'start', 'ending', 'label', 'address', 'tag', 'note'],
    'ip:::1': ['key', 'address'],
    '…K7QF': ['ending'],
    '...K7QF': ['ending'],
    '…': [],
    '...': [],
  };
  for (const [text, expected] of Object.entries(cases)) assert.deepEqual(kinds(text), expected, text);
  assert.deepEqual(termsOf('note:Paid by Bank, PAID')[1], { by: 'note', words: ['paid', 'by', 'bank'] });
  const [typed, hyphenated] = termsOf('ACME–12345—K7QF');
  assert.deepEqual(typed, { by: 'key', named: 'ACME–12345—K7QF' });
  assert.deepEqual(hyphenated, { by: 'key', named: 'ACME-12345-K7QF' });
  assert.deepEqual(termsOf('key:ACME–12345—K7QF'), [typed, hyphenated]);
  for (const text of ['Marie Martin <marie@a.example>', 'email:"Martin, Marie" <marie@a.example>'])
    assert.ok(
      termsOf(text).some((term) => term.by === 'email' && term.start === 'marie@a.example'),
      text,
    );
  const whole = { by: 'email', start: 'marie@a.example', isWhole: true };
  assert.deepEqual(termsOf('email:<marie@a.example>')[1], whole);
  assert.deepEqual(termsOf('email:marie@a.example')[1], { by: 'email', start: 'marie@a.example' });
  assert.deepEqual(termsOf('Order #42')[1], { by: 'order', id: 42 });
  assert.deepEqual(termsOf('key:order:42'), [{ by: 'key', named: 'order:42' }]);
});

test('a text may have what a sentence or a mail puts around it', () => {
  const has = (text: string, expected: LicenseTerm) =>
    assert.ok(
      termsOf(text).some((term) => isDeepStrictEqual(term, expected)),
      `${text}: ${JSON.stringify(termsOf(text))}`,
    );
  for (const text of ['“ACME-12345”.', '\u200bACME-12345\u200b', 'ACME–12345,', "'ACME-12345'"])
    has(text, { by: 'key', named: 'ACME-12345' });
  for (const text of ['ada@a.example,', "'ada@a.example'", 'email: ada@a.example.'])
    has(text, { by: 'email', start: 'ada@a.example' });
  for (const text of [
    '[Order #42]',
    'Order number: 42',
    'order no. 42',
    'Bestellnummer: 42',
    'Bestell-Nr.: #42',
  ])
    has(text, { by: 'order', id: 42 });
  has('(192.0.2.7)', { by: 'address', address: '192.0.2.7' });
  has('2001:db8::', { by: 'address', address: '2001:db8::' });
  has('email:"', { by: 'email', start: '"' });
  has('email:ada.', { by: 'email', start: 'ada.' });
});

test('a user who sees four characters of keys cannot search longer suffixes', () => {
  for (const text of ['9K7QF', '…9K7QF', '...9K7QF', 'ending:9K7QF', 'start:9K7QF'])
    assert.ok(!termsOf(text, 4).some(({ by }) => by === 'ending' || by === 'start'), text);
  assert.deepEqual(termsOf('…K7QF', 4), [{ by: 'ending', ending: 'K7QF', minLength: 12 }]);
});

test('the suffix of a key ignores case, and short keys have none', () => {
  assert.equal(keySuffixOf('abc'), null);
  assert.equal(keySuffixOf('abcd'), 'ABCD');
  assert.equal(keySuffixOf('🔑🔑-xyz🔑'), 'XYZ🔑');
});

test('the filters of a search are read from its parameters and the time', () => {
  const none = {
    search: null,
    ids: null,
    status: null,
    orderId: null,
    productId: null,
    userId: null,
    source: null,
    tag: null,
    expiry: null,
    soon: null,
    expiresFrom: null,
    expiresBefore: null,
    createdFrom: null,
    createdBefore: null,
  };
  const now = '2031-01-01 00:00:00';
  assert.deepEqual(licenseSearch(none, now), {});
  assert.deepEqual(licenseSearch({ ...none, search: ' ' }, now), {});
  // A text that cannot be a suffix must find nothing, rather than everything.
  assert.deepEqual(licenseSearch({ ...none, search: '…QF' }, now), { terms: [] });
  assert.deepEqual(licenseSearch({ ...none, orderId: 0, expiry: 'never' }, now), {
    orderId: 0,
    expiry: 'never',
  });
  assert.deepEqual(licenseSearch({ ...none, expiry: 'expired' }, now).expiry, { from: null, before: now });
  assert.deepEqual(licenseSearch({ ...none, expiry: 'soon', soon: 7 }, now).expiry, {
    from: now,
    before: '2031-01-08 00:00:00',
  });
  assert.deepEqual(licenseSearch({ ...none, expiresFrom: now }, now).expiry, { from: now, before: null });
});
