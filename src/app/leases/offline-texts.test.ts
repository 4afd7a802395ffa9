import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offlineDevice } from '../../../test/support/leases/offline-device.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { Outcome } from '../../domain/refusal.ts';
import { inSentences } from '../../words/problems.ts';
import { readReceipt, readRequest } from './offline-texts.ts';

const NOW = Date.parse('2030-06-01T12:00:00Z');
const DAY = 86_400_000;
const device = offlineDevice();
const request = (text: string) => readRequest(text, toDatetime(NOW));
const receipt = (text: string) => readReceipt(text, toDatetime(NOW));

function refusedAs(code: string, read: Outcome<unknown>): string {
  assert.ok(!read.ok && read.refusal.code === 'invalid', code);
  const [problem] = Object.values(read.refusal.args.fields);
  assert.equal(problem?.code, code);
  return inSentences(read.refusal.args.fields);
}

test('a request and a receipt are read as they were written, with white space around them', () => {
  const members = { fpr: 'fp', lbl: 'Büro-PC', prd: 12 };
  const read = request(`\r\n ${device.request('KEY-1', NOW, { ...members, later: [1] })}\t\n`);
  assert.ok(read.ok);
  assert.deepEqual(read.value, { key: 'KEY-1', x: device.x, n: 'nonce-1', iat: NOW / 1_000, ...members });
  const bare = request(device.request('KEY-1', NOW));
  assert.ok(bare.ok && bare.value.fpr === null && bare.value.lbl === null && bare.value.prd === null);
  const ended = receipt(device.receipt(41, 7, NOW - 4_000 * DAY));
  assert.deepEqual(ended.ok && { ...ended.value, iat: 0 }, { sub: 41, lic: 7, x: device.x, iat: 0 });
});

test('each member of a request that is wrong is named', () => {
  for (const [name, values] of Object.entries({
    key: [undefined, '', null, 7, 'k'.repeat(256), 'a\0'],
    x: [undefined, 'short', 7, `${device.x}=`],
    n: [undefined, '', 'n'.repeat(129), 5],
    iat: [undefined, '1906545600', 1.5, -1, 253_402_300_800],
    fpr: ['', ' \t', null, 'f'.repeat(256), {}],
    lbl: [null, 'l'.repeat(256), ['a']],
    prd: [null, '12', 1.5, -1],
  }))
    for (const value of values) {
      const said = refusedAs('bad_members', request(device.request('KEY-1', NOW, { [name]: value })));
      assert.match(said, new RegExp(`has invalid values: ${name} `), `${name} ${value}`);
    }
  for (const wrong of [
    { sub: 'lic_41' },
    { sub: 'act_041' },
    { sub: 41 },
    { lic: 'lic_99999999999999999999' },
  ])
    refusedAs('bad_members', receipt(device.receipt(41, 7, NOW, wrong)));
});

test('a request with a megabyte of spaces in it is refused at once', () => {
  refusedAs('not_signed_text', request(`LKREQ1.${' '.repeat(1_000_000)}x`));
});

test('a request is good for 30 days, by a clock that is at most a day ahead', () => {
  for (const at of [NOW - 30 * DAY, NOW + DAY]) assert.ok(request(device.request('KEY-1', at)).ok);
  refusedAs('signed_too_long_ago', request(device.request('KEY-1', NOW - 30 * DAY - 1_000)));
  refusedAs('signed_in_future', request(device.request('KEY-1', NOW + DAY + 1_000)));
  refusedAs('signed_in_future', receipt(device.receipt(41, 7, NOW + DAY + 1_000)));
});

test('a text of another kind, or signed by another device, is refused', () => {
  const text = device.request('KEY-1', NOW);
  for (const other of ['', 'LKREQ1.', text.slice(7), `LKREQ1.${text}`, device.receipt(41, 7, NOW)])
    refusedAs('not_signed_text', request(other));
  refusedAs('not_signed_text', request(device.receipt(41, 7, NOW).replace('LKOFF1.', 'LKREQ1.')));
  refusedAs('not_signed_text', receipt(text.replace('LKREQ1.', 'LKOFF1.')));
  refusedAs('wrong_signature', request(device.request('KEY-1', NOW, { x: offlineDevice().x })));
});

test('a text that is cut, or in which any character is another, is refused', () => {
  const text = device.request('KEY-1', NOW, { fpr: 'fp', lbl: 'Laptop' });
  for (let i = 0; i < text.length; i++) {
    assert.ok(!request(text.slice(0, i)).ok, `cut at ${i}`);
    for (const other of ['A', 'z', '-', '.', ' ', '=', 'ä']) {
      if (other === text[i]) continue;
      assert.ok(!request(text.slice(0, i) + other + text.slice(i + 1)).ok, `${other} at ${i}`);
    }
  }
});
