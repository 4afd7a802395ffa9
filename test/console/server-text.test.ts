import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverText, translateServer } from '../../console/client/server-text.ts';
import { server as german } from '../../console/messages/de/server.ts';
import { readLine } from '../../src/app/batches/import-licenses.ts';
import { EXISTS, REPEATED } from '../../src/app/batches/rejected-lines.ts';
import type { Datetime } from '../../src/domain/datetime.ts';
import {
  datetime,
  flag,
  integer,
  listOf,
  optional,
  readCreate,
  readUpdate,
  required,
  text,
  webAddress,
} from '../../src/domain/fields.ts';
import { licenseKey, licenseStatus } from '../../src/domain/license.ts';
import type { Refusal } from '../../src/domain/refusal.ts';
import { emailAddress } from '../../src/domain/user.ts';
import { problemOf } from '../../src/http/errors.ts';

const since = '2031-02-03 04:05:06' as Datetime;
const SHAPE = {
  none: required(text({ max: 5 })),
  count: optional(integer({ min: 1, max: 7 })),
  short: optional(text({ min: 3, max: 5 })),
  long: optional(text({ max: 5 })),
  number: optional(text({ max: 5 })),
  when: optional(datetime),
  yes: optional(flag),
  status: optional(licenseStatus),
  address: optional(webAddress),
  several: optional(listOf(integer(), 1, '')),
  email: optional(emailAddress),
  key: optional(licenseKey),
};
const BAD = {
  ...{ count: 9, short: 'ab', long: 'abcdef', number: 1, when: '2031-02-30', yes: 'maybe', status: 'lost' },
  ...{ address: 'nowhere', several: [1, 2], email: 'nobody', key: '  ' },
};
const named = 'ABC-1';
const REFUSALS: Refusal[] = [
  ...(
    ['license', 'generator', 'api_key', 'user', 'session', 'software', 'release', 'activation'] as const
  ).map((noun) => ({ reason: `${noun}_not_found`, named }) as Refusal),
  { reason: 'license_not_found', named: { id: 7 } },
  { reason: 'license_key_exists', named },
  { reason: 'software_slug_exists', named },
  { reason: 'release_version_exists', named },
  { reason: 'user_email_exists', named },
  { reason: 'user_disabled', named },
  { reason: 'user_changed_meanwhile' },
  { reason: 'last_owner', named },
  { reason: 'api_key_revoked', id: 7, since },
  { reason: 'api_key_expired', id: 7, since },
  { reason: 'api_key_replaced', id: 7, by: '8' },
  { reason: 'api_key_of_settings', id: 7 },
  { reason: 'activation_limit_reached', limit: 3 },
  { reason: 'activation_already_active' },
  { reason: 'activation_already_deactivated' },
  { reason: 'license_expired' },
  { reason: 'license_disabled' },
  { reason: 'sign_in_refused' },
  { reason: 'second_factor_expired' },
  { reason: 'invitation_not_found' },
  { reason: 'totp_is_on' },
  { reason: 'totp_is_off' },
];

test('what the server says of bad input and of refusals is told in German', (t) => {
  translateServer(german);
  t.after(() => translateServer([]));
  const created = readCreate(SHAPE, BAD);
  const updated = readUpdate({ none: SHAPE.none }, { none: '' });
  assert.ok(!created.ok && !updated.ok);
  assert.deepEqual(Object.keys(created.params), Object.keys(SHAPE));
  const said = [
    ...Object.values(created.params),
    ...Object.values(updated.params),
    ...REFUSALS.flatMap((refusal) => [problemOf(refusal).message]),
  ];
  for (const one of said) {
    const told = serverText(one);
    assert.notEqual(told, one);
    assert.doesNotMatch(told, /\b(the|must|is|not|already)\b|\$\d/, one);
  }
  assert.equal(serverText('must be an integer from 1 to 7.'), 'Nötig ist eine ganze Zahl von 1 bis 7.');
  assert.equal(serverText('must be something new.'), 'must be something new.');
});

test('in English the server is shown as it is', () => {
  assert.equal(serverText('is required.'), 'is required.');
});

test('why lines and files are refused is told in German', (t) => {
  translateServer(german);
  t.after(() => translateServer([]));
  const values = { license_key: ' ', status: 'sold out', order_id: 'soon', expires_at: 'never ever' };
  const line = readLine({ line: 2, values }, {}, since);
  assert.ok('faults' in line);
  assert.ok(line.faults.length > 3);
  const said = [...line.faults, EXISTS, REPEATED].map(({ reason }) => reason);
  for (const one of [
    ...said,
    'is no text in UTF-8; save the file as "CSV UTF-8".',
    'passes the year 9999.',
    'The line has 2 cells; the first line names 3.',
    'cannot be read. Line 7: the file is empty.',
    'cannot be read. Line 7: a quote is opened in the record that begins here, and never closed.',
    'cannot be read. Line 7: the record that begins here cannot be read (X).',
  ]) {
    assert.notEqual(serverText(one), one);
    assert.doesNotMatch(serverText(one), /\b(the|must|is|already|has)\b/, one);
  }
});
