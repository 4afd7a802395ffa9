import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DEFAULT_TERMS } from '../../support/http/api.ts';
import { migratedCli } from '../cli.ts';

const cli = await migratedCli();
const CREATE = ['generator', 'create', '--name', 'Acme', '--charset', 'ABCDEF0123456789'];

before(async () => {
  await cli.ok([
    ...CREATE,
    ...['--chunks', '3', '--chunk-length', '4', '--separator', '-', '--prefix', 'A-', '--suffix', '.z'],
    ...['--activations-limit', '3', '--expires-in', '30'],
  ]);
});

test('create takes the values of the flags, answers with the names of the API, and names flags in errors', async () => {
  const made = await cli.json([...CREATE, '--chunks', '1', '--chunk-length', '1']);
  const { created_at: at, id, ...rest } = made;
  assert.match(at, /^\d{4}-/);
  assert.equal(id, 2);
  assert.deepEqual(rest, {
    name: 'Acme',
    charset: 'ABCDEF0123456789',
    chunks: 1,
    chunk_length: 1,
    activations_limit: 0,
    separator: '',
    prefix: null,
    suffix: null,
    expires_in: 0,
    created_by: 1,
    updated_at: null,
    updated_by: null,
    ...DEFAULT_TERMS,
  });
  const told = await cli.fails(2, ['generator', 'create', '--chunks', '101']);
  for (const flag of ['--name is', '--charset is', '--chunks must', '--chunk-length is'])
    assert.ok(told.includes(flag), told);
  const long = await cli.fails(2, [...CREATE, '--chunks', '100', '--chunk-length', '100']);
  assert.match(long, /--chunk-length makes keys of 10000 characters/);
});

test('list shows the newest first, for people and for scripts', async () => {
  const words = await cli.ok(['generator', 'list']);
  assert.match(
    words,
    /^ID {2}NAME {2}FORM OF KEYS .*\n2 +Acme +# .*\n1 +Acme +A-####-####-####\.z +3 +30 days/,
  );
  const { generators, total, page, limit } = await cli.json(['generator', 'list', '--limit', '1']);
  assert.deepEqual([generators.length, generators[0].id, total, page, limit], [1, 2, 2, 1, 1]);
});

test('generate prints keys, one a line, and keeps none of them', async () => {
  const { code, stdout, stderr } = await cli.run(['generator', 'generate', '1', '--amount', '5']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^(A-[A-F0-9]{4}-[A-F0-9]{4}-[A-F0-9]{4}\.z\n){5}$/);
  assert.equal((await cli.json(['license', 'list'])).total, 0);
});

test('generate --save creates licenses by the generator, with the source generator', async () => {
  const saving = ['generator', 'generate', '1', '--amount', '3', '--save'];
  const flags = ['--status', 'sold', '--product-id', '7', '--order-id', '8', '--user-id', '9'];
  const email = ['--customer-email', 'a@b.example'];
  const { keys, saved } = await cli.json([...saving, ...flags, ...email]);
  assert.deepEqual([keys.length, saved], [3, true]);
  const { licenses } = await cli.json(['license', 'list', '--source', 'generator']);
  assert.deepEqual(licenses.map((one: { license_key: string }) => one.license_key).toReversed(), keys);
  for (const license of licenses) {
    const { status, product_id, order_id, user_id, customer_email, activations_limit, valid_for } = license;
    assert.deepEqual(
      [status, product_id, order_id, user_id, customer_email, activations_limit, valid_for, license.source],
      ['sold', 7, 8, 9, 'a@b.example', 3, 30, 'generator'],
    );
    assert.ok(license.expires_at > license.created_at);
  }
  const { stdout, stderr } = await cli.run([...saving.with(4, '1')]);
  assert.equal(stderr, 'Saved 1 license.\n');
  assert.equal((await cli.json(['license', 'show', stdout.trim()])).status, 'inactive');
});

test('generate refuses an unknown generator or too few keys (1) and bad values (2), and saves nothing', async () => {
  const generate = (...words: string[]) => ['generator', 'generate', ...words];
  const earlier = (await cli.json(['license', 'list'])).total;
  assert.match(await cli.fails(1, generate('99', '--amount', '1')), /There is no generator "99"/);
  assert.match(await cli.fails(1, generate('x', '--amount', '1')), /There is no generator "x"/);
  const few = await cli.fails(1, generate('2', '--amount', '17', '--save'));
  assert.match(few, /The generator has 16 free keys left, not 17\. No key was made/);
  assert.match(await cli.fails(2, generate('1')), /--amount is required/);
  assert.match(await cli.fails(2, generate('1', '--amount', '100001')), /--amount must be an integer from 1/);
  const lost = await cli.fails(
    2,
    generate('1', '--amount', '1', '--status', 'sold', '--customer-email', 'a@b.c'),
  );
  assert.match(lost, /--status, --customer-email can only be given with --save/);
  assert.equal((await cli.json(['license', 'list'])).total, earlier);
});
