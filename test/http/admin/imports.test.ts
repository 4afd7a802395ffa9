import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { ROLES } from '../../../src/domain/user.ts';
import { type SignedInClient, signedIn } from '../../support/console/console.ts';
import { ENGINE, numberOf } from '../../support/engine.ts';
import { newKey, type Record_ } from '../../support/http/api.ts';
import { type Told, toldBy } from '../../support/http/lines.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const api = await startService({ after });
const manager = await signedIn(api, 'manager');

type Fields = Record<string, string | object>;
function formOf(content: string | Buffer, fields: Fields): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    body.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  body.append('file', new File([new Uint8Array(Buffer.from(content))], 'licenses.csv', { type: 'text/csv' }));
  return body;
}
const post = (
  path: string,
  content: string | Buffer,
  fields: Fields = {},
  client: SignedInClient = manager,
) => client.fetch(path, { method: 'POST', body: formOf(content, fields) });
/** Returns the result, with the rejected lines that came before it and their problems in words. */
async function told(path: string, content: string | Buffer, fields: Fields): Promise<Told> {
  const answer = await toldBy(await post(path, content, fields));
  const faults = answer.parts[0]?.faults ?? [];
  const words = (some: Record_[]) => some.map(({ parameter, reason }) => `${parameter} ${reason}`).join(' ');
  const rejected = answer.parts.flatMap(({ lines }) =>
    lines.map(([line, why]: number[]) => ({ line, reason: words(faults[why as number]) })),
  );
  return { ...answer, ...(answer.result && { result: { ...answer.result, rejected } }) };
}
async function preview(content: string | Buffer, fields: Fields = {}): Promise<Record_> {
  return (await told('/imports/preview', content, fields)).result as Record_;
}
const run = (content: string | Buffer, fields: Fields = {}) => told('/imports', content, fields);
async function columnsOf(content: string | Buffer, fields: Fields = {}): Promise<Record_> {
  const response = await post('/imports/columns', content, fields);
  const body = (await response.json()) as Record_;
  assert.equal(response.status, 200, JSON.stringify(body));
  return body;
}
async function refused(
  path: string,
  content: string | Buffer,
  fields: Fields = {},
): Promise<[number, ...string[]]> {
  const response = await post(path, content, fields);
  const { data } = (await response.json()) as Record_;
  return [response.status, ...Object.keys(data.params ?? {})];
}
const kept = () =>
  Promise.all(
    ['licenses', 'staged_licenses', 'audit_entries'].map((table) =>
      numberOf(api.dataDir, `select count(*) from ${table}`),
    ),
  );

suite('permissions by role', () => {
  for (const role of ROLES) {
    test(role, async () => {
      const client = await signedIn(api, role);
      const expected = role === 'owner' || role === 'manager' ? 200 : 403;
      const content = `license_key\n${newKey()}\n`;
      const before = await numberOf(api.dataDir, 'select count(*) from licenses');
      assert.equal((await post('/imports/columns', content, {}, client)).status, expected);
      assert.equal((await post('/imports/preview', content, {}, client)).status, expected);
      assert.equal(await numberOf(api.dataDir, 'select count(*) from licenses'), before);
      const imported = await post('/imports', content, {}, client);
      await imported.text();
      assert.equal(imported.status, expected);
      const now = await numberOf(api.dataDir, 'select count(*) from licenses');
      assert.equal(now - before, expected === 200 ? 1 : 0);
    });
  }
});

test('the preview shows the columns, the first lines as read, and the problems, and writes nothing', async () => {
  const [there, one, two] = [newKey(), newKey(), newKey()];
  await api.license({ license_key: there });
  const content = [
    'Key;Order No;Expiry date;Seats;Billing e-mail;Remark',
    `${one};12;2031-02-03;;Ada@Example.com;x`,
    `${there};;;;;`,
    `"${two}";;31.12.2031;-1;ada;`,
    `${one};;;;;`,
    'short;',
    '',
  ].join('\r\n');
  const before = await kept();
  // The beginning of the file, cut anywhere after the column names, is enough to recognize the columns.
  const { delimiter, columns } = await columnsOf(`\ufeff${content.slice(0, 120)}`);
  const told = await preview(`\ufeff${content}`, {
    defaults: { activations_limit: 4, status: 'sold', seat_ttl: 600, entitlements: 'pro, team' },
  });
  assert.deepEqual(await kept(), before);
  assert.equal(delimiter, ';');
  assert.deepEqual(
    columns.map(({ name, parameter }: Record_) => [name, parameter]),
    [
      ['Key', 'license_key'],
      ['Order No', 'order_id'],
      ['Expiry date', 'expires_at'],
      ['Seats', 'activations_limit'],
      ['Billing e-mail', 'customer_email'],
      ['Remark', null],
    ],
  );
  assert.deepEqual([told.lines, told.good, told.rejected_total], [5, 1, 4]);
  assert.deepEqual(told.rows[0], {
    line: 2,
    license: {
      license_key: one,
      status: 1,
      expires_at: '2031-02-03 00:00:00',
      valid_for: 0,
      activations_limit: 4,
      order_id: 12,
      product_id: null,
      user_id: null,
      customer_email: 'Ada@Example.com',
      seat_ttl: 600,
      reclaim_after_days: 0,
      match: 'fingerprint',
      borrow_max_hours: 0,
      takeovers_per_month: 0,
      entitlements: ['pro', 'team'],
      lease_refresh_hours: 24,
      lease_days: 14,
      lease_grace_days: 7,
      offline_lease_days: 90,
      note: null,
      tags: [],
      meta: {},
    },
  });
  assert.deepEqual(
    told.rows.map(({ license }: Record_) => license?.license_key ?? null),
    [one, null, null, null, null],
  );
  const rejected = told.rejected.map(({ line, reason }: Record_) => `${line} ${reason}`).join('\n');
  assert.match(
    rejected,
    /^3 license_key exists already\.\n4 .*activations_limit must be .*expires_at must be .*customer_email must be an email .*\n5 license_key is in an earlier line .*\n6 null has 2 cells; .* names 6\.$/,
  );
});

test('columns of a German spreadsheet are recognized', async () => {
  const { columns } = await columnsOf('Lizenzschlüssel;Gültig bis;Bestellnummer;E-Mail-Adresse\nA;;7;\n');
  const found = columns.map(({ parameter }: { parameter: string }) => parameter);
  assert.deepEqual(found, ['license_key', 'expires_at', 'order_id', 'customer_email']);
});

test('an unrecognized column is mapped by hand; without a key column no line is read', async () => {
  const key = newKey();
  const content = `Kennung,Tage\n${key},30\n`;
  assert.equal((await columnsOf(content)).columns[0].parameter, null);
  assert.deepEqual(await refused('/imports/preview', content), [422, 'mapping']);
  assert.deepEqual(await refused('/imports', content), [422, 'mapping']);
  const mapping = { Kennung: 'license_key', Tage: 'valid_for' };
  assert.equal((await preview(content, { mapping })).rows[0].license.valid_for, 30);
  const { result } = await run(content, { mapping });
  assert.deepEqual(result, { done: true, read: 1, imported: 1, rejected: [], rejected_total: 0 });
  const license = await api.service.store.read.licenses.find({ key });
  assert.deepEqual([license?.validFor, license?.source, license?.createdBy], [30, 2, manager.user.id]);
});

suite('an import reports the same as its preview', () => {
  const mostly = (good: string[], bad: string[]) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...good) },
      { weight: 1, arbitrary: fc.constantFrom(...bad) },
    );
  const cells = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.tuple(
        mostly(['', '7', '0'], ['x', '-1', '2147483647']),
        mostly(['', '2031-02-03', 'never'], ['2031-02-30', '"a,b"']),
        mostly(['', 'sold', '5'], ['9', 'x']),
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(['1'], ['', '', '', '']) },
  );
  test('for files of any lines, whether or not bad lines are skipped', async () => {
    const existing = [newKey(), newKey()];
    for (const key of existing) await api.license({ license_key: key });
    let run_ = 0;
    const key = mostly(['A', 'B', 'C', 'D', 'E'], ['', '0', '1', 'hashed-x', ' ']);
    const line = fc.record({ key, cells });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.boolean(), async (lines, skipBad) => {
        const own = newKey() + run_++;
        const keyOf = (name: string) =>
          /^\d$/.test(name) ? existing[Number(name)] : /^[A-E]$/.test(name) ? own + name : name;
        const content = [
          'license_key,valid_for,expires_at,status',
          ...lines.map(({ key, cells }) => [keyOf(key), ...cells].join(',')),
        ].join('\n');
        const before = await kept();
        const told = await preview(content);
        assert.deepEqual(await kept(), before);
        const { result } = await run(content, { skip_bad: skipBad ? '1' : '0' });
        assert.ok(result);
        assert.deepEqual(result.rejected, told.rejected);
        assert.equal(result.read, told.lines);
        assert.equal(result.done, skipBad || told.rejected_total === 0);
        assert.equal(result.imported, result.done ? told.good : 0);
        const [licenses, staged] = await kept();
        assert.deepEqual([(licenses ?? 0) - (before[0] ?? 0), staged], [result.imported, 0]);
      }),
      { numRuns: 40 },
    );
  });
  test('for many lines, and names every bad line', async () => {
    const [good, again] = [newKey(), newKey()];
    const content = [
      'license_key,valid_for',
      ...Array.from({ length: 2_600 }, (_, i) => `${good}-${i},0`),
      ...Array.from({ length: 12_150 }, (_, i) => (i % 2 === 0 ? `${again},0` : `${again}-${i},x`)),
    ].join('\n');
    const told = await preview(content);
    assert.deepEqual([told.lines, told.good, told.rejected_total], [14_750, 2_601, 12_149]);
    assert.deepEqual([told.rejected.length, told.rejected[0].line], [12_149, 2_603]);
    const { progress, parts, result } = await run(content);
    assert.ok(result && progress.length > 0);
    assert.deepEqual(
      parts.map(({ faults, lines }) => [faults.length, lines.length]),
      [
        [2, 10_000],
        [0, 2_149],
      ],
    );
    assert.deepEqual([result.done, result.imported, result.rejected_total], [false, 0, 12_149]);
    assert.deepEqual(result.rejected, told.rejected);
  });
});

suite('an invalid file or parameter is refused by name, and nothing is written', () => {
  const key = newKey();
  const CASES: [what: string, content: string | Buffer, fields: Fields, named: string][] = [
    ['an empty file', '', {}, 'file'],
    ['UTF-16', Buffer.from(`license_key,status\n${key},3\n`, 'utf16le'), {}, 'file'],
    ['column names in Latin-1', Buffer.from(`license_key,größe\n${key},3\n`, 'latin1'), {}, 'file'],
    ['a quote that is not closed', `license_key\n"${key}\n`, {}, 'file'],
    ['an unknown parameter', `k\n${key}\n`, { mapping: { k: 'color' } }, 'mapping'],
    ['an unknown column', `k\n${key}\n`, { mapping: { k: 'license_key', x: 'status' } }, 'mapping'],
    ['two key columns', `k,l\n${key},1\n`, { mapping: { k: 'license_key', l: 'license_key' } }, 'mapping'],
    ['an invalid mapping', `license_key\n${key}\n`, { mapping: '[' }, 'mapping'],
    ['an invalid default', `license_key\n${key}\n`, { defaults: { status: 9 } }, 'defaults'],
    ['a default for the key', `license_key\n${key}\n`, { defaults: { license_key: 'x' } }, 'defaults'],
    ['a delimiter of two characters', `license_key\n${key}\n`, { delimiter: ';;' }, 'delimiter'],
  ];
  for (const [what, content, fields, named] of CASES) {
    test(what, async () => {
      const before = await kept();
      assert.deepEqual(await refused('/imports/preview', content, fields), [422, named]);
      assert.deepEqual(await refused('/imports', content, fields), [422, named]);
      assert.deepEqual(await kept(), before);
    });
  }
  test('a field after the file', async () => {
    const before = await kept();
    const body = formOf(`license_key\n${key}\n`, {});
    body.append('skip_bad', '1');
    const response = await manager.fetch('/imports', { method: 'POST', body });
    const { data } = (await response.json()) as Record_;
    assert.deepEqual([response.status, Object.keys(data.params)], [422, ['skip_bad']]);
    assert.deepEqual(await kept(), before);
  });
  const skip = ENGINE === 'postgres' && 'the file is read before the store is queried';
  test('a file over 50 MiB, and a value that is not a file', { skip }, async () => {
    const before = await kept();
    const line = `${'x'.repeat(1_000)},\n`;
    const large = `license_key,status\n${line.repeat(Math.ceil((50 * 1024 ** 2) / line.length))}`;
    assert.equal((await told('/imports/preview', large, {})).error?.data.status, 413);
    const { status, body } = await manager.post('/imports/preview', { file: 'x' });
    assert.deepEqual([status, Object.keys(body.data.params)], [422, ['file']]);
    assert.deepEqual(await kept(), before);
  });
});

test('an import whose client disconnects writes nothing', async () => {
  const key = newKey();
  const lines = Array.from({ length: 20_000 }, (_, i) => `${key}-${i}`);
  const gone = new AbortController();
  const body = formOf(['license_key', ...lines].join('\n'), {});
  const [licenses] = await kept();
  const response = await manager.fetch('/imports', { method: 'POST', body, signal: gone.signal });
  gone.abort();
  await assert.rejects(response.text());
  await until(async () => (await kept())[1] === 0);
  assert.equal((await kept())[0], licenses);
});
