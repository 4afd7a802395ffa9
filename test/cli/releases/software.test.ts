import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { migratedCli } from '../cli.ts';

const cli = await migratedCli();
const ICON = 'https://example.com/icon.png?a=1,2';
const BANNER = 'https://example.com/banner.png';

before(async () => {
  await cli.ok(['software', 'create', '--name', 'Acme Editor', '--slug', 'acme']);
});

test('create needs only a name, takes every flag, and answers with the names and values of the API', async (t) => {
  const plain = await cli.json(['software', 'create', '--name', 'Plain Name']);
  assert.deepEqual(
    [plain.slug, plain.type, plain.access, plain.product_ids, plain.url, plain.icons, plain.created_by],
    ['plain-name', 'wp', 'licensed', [], '', {}, 1],
  );
  const full = await cli.json([
    ...['software', 'create', '--name', 'Full', '--slug', 'full.1', '--type', 'plugin', '--access', 'PUBLIC'],
    ...['--url', 'https://example.com', '--product-ids', '7, 8', '--product-ids', '9', '--tested', '6.8'],
    ...['--requires', '6.0', '--requires-php', '8.1', '--icon', `1x=${ICON}`, '--icon', `2x=${ICON}`],
    ...['--banner', `low=${BANNER}`, '--id', '57'],
  ]);
  const { created_at: _, ...rest } = full;
  assert.deepEqual(rest, {
    id: 57,
    name: 'Full',
    slug: 'full.1',
    type: 'plugin',
    url: 'https://example.com',
    product_ids: [7, 8, 9],
    access: 'public',
    tested: '6.8',
    requires: '6.0',
    requires_php: '8.1',
    icons: { '1x': ICON, '2x': ICON },
    banners: { low: BANNER },
    created_by: 1,
    updated_at: null,
    updated_by: null,
  });
  const server = await startService(t, { dataDir: cli.dataDir });
  const listed = await server.ok('GET', '/software');
  assert.deepEqual(
    [plain, full].map((made) => listed.find((one: Record_) => one.id === made.id)),
    [plain, full],
  );
  assert.deepEqual(await cli.json(['software', 'show', '57']), full);
});

test('create refuses an existing id or slug (1), and bad values (2) by the names of their flags', async () => {
  const create = ['software', 'create'];
  assert.equal(
    await cli.fails(1, [...create, '--name', 'Acme']),
    'error: Software with the slug "acme" already exists.\n',
  );
  assert.equal(
    await cli.fails(1, [...create, '--name', 'Other', '--id', '1']),
    'error: Software with the id 1 already exists.\n',
  );
  const bad = [
    ...['--slug', 'a b', '--access', 'secret', '--url', 'example.com', '--product-ids', '7,x'],
    ...['--icon', ICON.replaceAll('=', ''), '--banner', 'low=ftp://x', '--tested', 'x'.repeat(65)],
    ...['--id', '0'],
  ];
  const told = await cli.fails(2, [...create, ...bad]);
  for (const flag of ['name', 'slug', 'access', 'url', 'product-ids', 'icon', 'banner', 'tested', 'id'])
    assert.match(told, new RegExp(`--${flag} (must|is)`));
  const twice = ['--name', 'N', '--icon', `1x=${ICON}`, '--icon', `1x=${BANNER}`];
  assert.match(await cli.fails(2, [...create, ...twice]), /--icon must be .*, each name once/);
  assert.match(await cli.fails(2, [...create, '--name', '😀']), /--slug is required: none can be made/);
  assert.match(await cli.fails(2, [...create, '--name', 'N', '--product-ids', '']), /--product-ids must/);
});

test('software is named by slug or by id; no slug can be mistaken for an id', async () => {
  const shadow = ['software', 'create', '--name', 'Shadow', '--slug', '1'];
  assert.match(await cli.fails(2, shadow), /--slug must not be digits only, which would be an id/);
  assert.equal((await cli.json(['software', 'create', '--name', '1'])).slug, 'software-1');
  assert.equal((await cli.json(['software', 'show', 'acme'])).id, 1);
  assert.equal((await cli.json(['software', 'show', '1'])).slug, 'acme');
  for (const command of [
    ['software', 'show', 'nope'],
    ['software', 'update', 'nope', '--name', 'N'],
    ['software', 'delete', 'nope'],
    ['release', 'list', '--software', 'nope'],
    ['release', 'stats', '--software', 'nope'],
  ])
    assert.equal(await cli.fails(1, command), 'error: There is no software "nope".\n');
});

test('list and show print text for people', async () => {
  const words = await cli.ok(['software', 'list']);
  assert.match(words, /^ID +SLUG +NAME +TYPE +ACCESS +PRODUCTS\n/);
  assert.match(words, /\n1 +acme +Acme Editor +wp +licensed +all licenses\n1 to (\d+) of \1\n$/);
  const { software, page, limit } = await cli.json(['software', 'list', '--limit', '1', '--page', '2']);
  assert.deepEqual([software.length, page, limit], [1, 2, 1]);
  const empty = await cli.ok(['software', 'list', '--page', '9']);
  assert.match(empty, /^This page is empty; there are \d+ software in total\.\n$/);
  const shown = await cli.ok(['software', 'show', 'full.1']);
  assert.match(shown, /^Name +Full\nSlug +full\.1\n/);
  assert.ok(shown.includes(`1x=${ICON} 2x=${ICON}`) && /Products +7,8,9\n/.test(shown), shown);
});

test('update changes only what is given; --clear removes a value, an empty one does not', async () => {
  const update = (...flags: string[]) => ['software', 'update', 'changing', ...flags];
  const made = await cli.json([
    ...['software', 'create', '--name', 'Changing', '--url', BANNER, '--product-ids', '7'],
    ...['--icon', `1x=${ICON}`, '--tested', '6.8'],
  ]);
  const changed = await cli.json(update('--tested', '6.9', '--icon', `svg=${ICON}`));
  const { updated_at: at, ...rest } = changed;
  assert.match(at, /^\d{4}-/);
  const expected = { ...made, tested: '6.9', icons: { svg: ICON }, updated_by: 1 };
  assert.deepEqual({ ...rest, updated_at: null }, expected);
  const cleared = await cli.json(update('--clear', 'url, product-ids,icon', '--slug', 'changed'));
  assert.deepEqual(
    [cleared.url, cleared.product_ids, cleared.icons, cleared.tested, cleared.slug],
    ['', [], {}, '6.9', 'changed'],
  );
  const other = update('--slug', 'acme').with(2, 'changed');
  assert.match(await cli.fails(1, other), /slug "acme" already exists/);
  const again = (...flags: string[]) => update(...flags).with(2, 'changed');
  assert.match(await cli.fails(2, again()), /Name what to change/);
  assert.match(await cli.fails(2, again('--tested', '')), /--tested must not be empty; --clear removes/);
  assert.match(await cli.fails(2, again('--clear', 'name')), /--clear must be one of .*url.*"name" is none/);
  assert.match(
    await cli.fails(2, again('--clear', 'url', '--url', BANNER)),
    /--url cannot be given together/,
  );
  assert.equal((await cli.json(['software', 'show', 'changed'])).tested, '6.9');
});

test('delete removes the software with its releases and their files', async () => {
  await cli.ok(['software', 'create', '--name', 'Short lived']);
  const file = cli.file('short.zip', 'bytes of something short-lived');
  await cli.ok(['release', 'publish', '--software', 'short-lived', '--version', '1', file]);
  const artifacts = () =>
    readdirSync(join(cli.dataDir, 'artifacts'), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    ).length;
  assert.equal(artifacts(), 1);
  assert.equal(
    await cli.ok(['software', 'delete', 'short-lived']),
    'Deleted Short lived (short-lived) and 1 release.\n',
  );
  assert.equal(artifacts(), 0);
  await cli.fails(1, ['software', 'show', 'short-lived']);
});

test('an activation is shown with its software', async (t) => {
  const server = await startService(t, { dataDir: cli.dataDir });
  const license = await server.license();
  await server.activation(license.license_key, { software: 1 });
  await server.activation(license.license_key, { label: 'Other' });
  const words = await cli.ok(['license', 'show', license.license_key]);
  assert.match(
    words,
    /\nTOKEN +SINCE \(UTC\) +LAST SEEN \(UTC\) +LAPSES \(UTC\) +IP ADDRESS +SOFTWARE +LABEL\n.* - +Other\n.* acme +-\n$/,
  );
});
