import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { runSql } from '../../support/engine.ts';
import type { Api, Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { createCli, migratedCli, shell } from '../cli.ts';
import { artifactFiles } from './artifacts.ts';

const cli = await migratedCli();
const BYTES = randomBytes(200_000);
const file = cli.file('acme.zip', BYTES);

before(async () => {
  for (const name of ['Acme', 'Other', 'Unwanted'])
    await cli.ok(['software', 'create', '--name', name, '--access', 'public']);
});

const publish = (version: string, ...flags: string[]) => [
  ...['release', 'publish', '--software', 'acme', '--version', version],
  ...flags,
];
const named = (command: string, version: string, ...flags: string[]) => [
  ...['release', command, '--software', 'acme', '--version', version],
  ...flags,
];
const news = (server: Api, id: number, query = {}): Promise<Record_> =>
  server.ok('GET', `/software/${id}`, { query });

test('a published release is offered and sent by a running server, until it is yanked', async (t) => {
  const server = await startService(t, { dataDir: cli.dataDir });
  const folder = dirname(cli.file('CHANGES.md', '- faster\r\n- “better”\n'));
  mkdirSync(join(folder, 'build'));
  writeFileSync(join(folder, 'build', 'acme.zip'), BYTES);
  const line =
    'latchkey release publish --software acme --version 1.4.0 --channel stable --changelog CHANGES.md --upgrade-notice "Back up" --rollout 100 build/acme.zip';
  const { code, stdout, stderr } = await shell(cli.dataDir, `cd ${folder} && ${line}`);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Software +acme\nVersion +1\.4\.0\n/);

  const offered = await news(server, 1);
  assert.deepEqual(
    [offered.version, offered.details.upgrade_notice, offered.details.sections.changelog],
    ['1.4.0', 'Back up', '- faster\n- “better”\n'],
  );
  const download = await fetch(offered.download_url);
  assert.deepEqual(Buffer.from(await download.arrayBuffer()), BYTES);
  assert.equal(download.headers.get('content-type'), 'application/zip');
  assert.match(String(download.headers.get('content-disposition')), /acme\.zip/);

  const shown = await cli.json(named('show', '1.4'));
  assert.deepEqual((await server.ok('GET', '/software/1/releases'))[0], shown);
  assert.deepEqual(
    [shown.size, shown.sha256, shown.mime_type, shown.rollout, shown.status],
    [BYTES.length, createHash('sha256').update(BYTES).digest('hex'), 'application/zip', 100, 'published'],
  );

  await cli.ok(named('yank', '1.4.0'));
  assert.equal((await news(server, 1)).version, '');
  const refused = await fetch(offered.download_url);
  assert.equal(refused.status, 403);
  assert.match(await cli.fails(1, named('yank', '1.4.0')), /Release 1\.4\.0 of acme is already yanked/);
  await cli.ok(named('update', '1.4.0', '--status', 'published'));
  assert.equal((await fetch((await news(server, 1)).download_url)).status, 200);
});

test('publish takes a draft without a file, another file name, and a changelog from standard input', async () => {
  const draft = await cli.json(publish('2.0.0', '--draft', '--changelog', '-'), { input: '\ufeffNew\n' });
  assert.deepEqual(
    [draft.status, draft.changelog, draft.file_name, draft.size, draft.published_at],
    ['draft', 'New\n', '', 0, null],
  );
  assert.match(await cli.fails(2, publish('2.0.1')), /Name the file of the release\. Only a --draft/);
  const nameless = publish('2.0.1', '--draft', '--file-name', 'x.zip');
  assert.match(await cli.fails(2, nameless), /--file-name can only be given with a file/);
  const beta = await cli.json(
    publish('2.0.0-beta.1', '--channel', 'beta', '--rollout', '20', '--file-name', 'Acme 2.DMG', file),
  );
  assert.deepEqual(
    [beta.channel, beta.rollout, beta.file_name, beta.mime_type],
    ['beta', 20, 'Acme 2.DMG', 'application/x-apple-diskimage'],
  );
  const odd = await cli.json(publish('2.0.0-beta.2', cli.file('program', 'x')));
  assert.deepEqual(
    [odd.channel, odd.file_name, odd.mime_type],
    ['beta', 'program', 'application/octet-stream'],
  );
});

test('publish and update refuse bad input before they store any file', async () => {
  const empty = await migratedCli();
  await empty.ok(['software', 'create', '--name', 'Acme']);
  for (const version of ['1.4', '1.5']) await empty.ok(publish(version, '--draft'));
  // So large that storing it would be noticed, and would take long.
  const huge = cli.file('huge.zip', '');
  truncateSync(huge, 2 * 1024 ** 3 + 1);
  const changelog = (content: string | Buffer) =>
    publish('1.0', '--changelog', cli.file('CHANGES.md', content), file);
  const refused: [number, string[], RegExp][] = [
    [1, publish('1.0', cli.file('empty.zip', '')), /empty\.zip is empty/],
    [1, publish('1.0', huge), /larger than the maximum of 2,147,483,648 bytes/],
    [1, named('update', '1.4', huge), /larger than the maximum of 2,147,483,648 bytes/],
    [1, publish('1.0', '/dev/null'), /\/dev\/null is not a regular file/],
    [3, publish('1.0', '/no/such.zip'), /\/no\/such\.zip: there is no such/],
    [3, publish('1.0', dirname(file)), /this is a folder, not a file/],
    [1, publish('1.4.0', file), /Version 1\.4\.0 of this software already exists/],
    [1, named('update', '1.5', '--new-version', '1.4', file), /Version 1\.4 of this software already exists/],
    [1, named('update', '1.6', file), /There is no release "1\.6" of this software/],
    [1, publish('1.0', file).with(3, 'nope'), /There is no software "nope"/],
    [2, publish('one', file), /--version must be a version/],
    [2, publish('1.0', '--rollout', '101', '--channel', 'x', file), /--channel must be.*--rollout must be/],
    [2, publish('1.0', '--file-name', 'x'.repeat(256), file), /--file-name must have 1 to 255/],
    ...['a/b', 'a\\b', '..', '.', 'a\nb', 'a\x1bb'].map((name): [number, string[], RegExp] => [
      2,
      publish('1.0', '--file-name', name, file),
      /--file-name must be a name without folders and control characters/,
    ]),
    [2, publish('1.0', cli.file('a\nb.zip', 'x')), /--file-name is required: the name of the file/],
    [2, named('update', '1.4', cli.file('a\\b.zip', 'x')), /--file-name is required/],
    [2, ['release', 'publish', file], /--software is required.*--version is required/],
    [3, publish('1.0', '--changelog', '/no/such.md', file), /\/no\/such\.md: there is no such/],
    [2, changelog(Buffer.from([0xff, 0xfe])), /--changelog must name .*UTF-8/],
    [2, changelog('x'.repeat(65_536)), /--changelog must have at most 65535/],
    [2, changelog('x'.repeat(2 ** 21)), /--changelog names .* too long/],
    [2, publish('1.0', '--changelog', '', file), /--changelog must not be empty/],
  ];
  for (const [code, args, told] of refused) assert.match(await empty.fails(code, args), told, args.join(' '));
  assert.equal((await empty.json(['release', 'list', '--software', 'acme'])).total, 2);
  assert.ok(!existsSync(join(empty.dataDir, 'artifacts')));
  const nowhere = createCli();
  assert.match(
    await nowhere.fails(3, publish('1.0', file)),
    /There is no database in|has no tables of Latchkey/,
  );
});

test('list and show put the highest version first, for people and for scripts', async () => {
  const { releases, total, page, limit } = await cli.json(['release', 'list', '--software', 'acme']);
  assert.deepEqual(
    releases.map((one: Record_) => one.version),
    ['2.0.0', '2.0.0-beta.2', '2.0.0-beta.1', '1.4.0'],
  );
  assert.deepEqual([total, page, limit], [4, 1, 30]);
  const words = await cli.ok(['release', 'list', '--software', '1', '--limit', '3', '--page', '2']);
  assert.match(
    words,
    /^VERSION .*\n1\.4\.0 +stable +published +100 % +\d{4}-.{14} +200,000 +acme\.zip\n4 to 4 of 4\n$/,
  );
  assert.equal(await cli.ok(['release', 'list', '--software', 'other']), 'No releases.\n');
  const shown = await cli.ok(named('show', '1.4.0'));
  assert.match(shown, /Notice +Back up\n.*\n\n- faster\n- “better”\n$/s);
  assert.match(await cli.ok(named('show', '2.0.0-beta.1')), /\n\nNo changelog\.\n$/);
  const unknown = await cli.fails(1, named('show', '3.0'));
  assert.equal(unknown, 'error: There is no release "3.0" of this software.\n');
});

test('update changes only what is given; a new file replaces the old one', async () => {
  const before = await cli.json(publish('3.0.0', '--changelog', cli.file('c.md', 'Old'), '--draft'));
  assert.match(
    await cli.fails(1, named('update', '3.0.0', '--status', 'published')),
    /The release has no file\. Name one to publish it/,
  );
  const one = cli.file('one.tgz', 'one');
  const published = await cli.json(named('update', '3.0.0', '--status', 'published', '--rollout', '5', one));
  assert.deepEqual(
    [published.id, published.status, published.rollout, published.changelog, published.mime_type],
    [before.id, 'published', 5, 'Old', 'application/gzip'],
  );
  const earlier = artifactFiles(cli.dataDir).length;
  const two = cli.file('two.zip', 'other bytes');
  const changed = await cli.json(
    named('update', '3.0.0', '--new-version', '3.0.1', '--clear', 'changelog,rollout', two),
  );
  assert.deepEqual(
    [changed.version, changed.changelog, changed.rollout, changed.file_name, changed.size],
    ['3.0.1', '', 100, 'two.zip', 11],
  );
  assert.equal(artifactFiles(cli.dataDir).length, earlier);
  const changelog = await cli.json(
    named('update', '3.0.1', '--new-version', '3.0.1', '--changelog', cli.file('d.md', 'New')),
  );
  assert.deepEqual([changelog.changelog, changelog.file_name], ['New', 'two.zip']);

  assert.match(await cli.fails(2, named('update', '3.0.1')), /Name what to change/);
  const taken = await cli.fails(1, named('update', '3.0.1', '--new-version', '1.4', two));
  assert.match(taken, /Version 1\.4 of this software already exists/);
  assert.match(await cli.fails(2, named('update', '3.0.1', '--file-name', 'x')), /--file-name can only/);
  assert.match(await cli.fails(2, named('update', '3.0.1', '--status', 'gone')), /--status must be one of/);
  assert.deepEqual(await cli.json(named('show', '3.0.1')), changelog);
});

test('delete removes the release and its file, but not bytes that another release uses', async () => {
  for (const args of [publish('2.9.0', file), named('update', '2.9.0', '--status', 'published')]) {
    const { stderr } = await cli.run(args);
    assert.match(stderr, /^3\.0\.1 is higher and stays the one that is offered\.\n$/);
  }
  const earlier = artifactFiles(cli.dataDir);
  assert.equal(await cli.ok(named('delete', '2.9.0')), 'Deleted release 2.9.0 of acme.\n');
  assert.deepEqual(artifactFiles(cli.dataDir), earlier);
  await cli.ok(named('delete', '3.0.1'));
  assert.equal(artifactFiles(cli.dataDir).length, earlier.length - 1);
  assert.match(await cli.fails(1, named('delete', '3.0.1')), /There is no release "3\.0\.1"/);
});

test('stats counts by release, by day and in total, over any number of pages', async () => {
  const releases: Record_[] = [];
  for (const version of ['1.0', '1.1'])
    releases.push(await cli.json(publish(version, '--draft').with(3, 'other')));
  const [first, second] = releases.map(({ id }) => id);
  const rows = Array.from({ length: 1500 }, (_, i) => {
    const day = new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10);
    return `(${first}, '${day}', 1)`;
  });
  rows.push(`(${second}, '2020-01-02', 1000)`);
  await runSql(cli.dataDir, `insert into download_counts (release_id, day, downloads) values ${rows.join()}`);
  const stats = (...flags: string[]) => cli.json(['release', 'stats', '--software', 'other', ...flags]);
  const all = await stats();
  assert.deepEqual([all.downloads, all.days.length], [2500, 1501]);
  assert.deepEqual(all.releases, [
    { release_id: second, version: '1.1', downloads: 1000 },
    { release_id: first, version: '1.0', downloads: 1500 },
  ]);
  assert.deepEqual(await stats('--from', '2020-01-01', '--to', '2020-01-02', '--version', '1.0'), {
    downloads: 2,
    releases: [{ release_id: first, version: '1.0', downloads: 2 }],
    days: [
      { release_id: first, version: '1.0', day: '2020-01-02', downloads: 1 },
      { release_id: first, version: '1.0', day: '2020-01-01', downloads: 1 },
    ],
  });
  const words = await cli.ok(['release', 'stats', '--software', 'other', '--to', '2020-01-02']);
  assert.equal(
    words,
    [
      'VERSION  DOWNLOADS',
      '1.1      1,000',
      '1.0      2',
      'all      1,002',
      '',
      'DAY (UTC)   VERSION  DOWNLOADS',
      '2020-01-02  1.1      1,000',
      '2020-01-02  1.0      1',
      '2020-01-01  1.0      1\n',
    ].join('\n'),
  );
  assert.equal(await cli.ok(['release', 'stats', '--software', 'unwanted']), 'No downloads.\n');
  assert.match(await cli.fails(2, ['release', 'stats', '--software', 'other', '--from', 'x']), /--from must/);
});

test('stats counts a download from a running server', async (t) => {
  const server = await startService(t, { dataDir: cli.dataDir, server: { trustProxy: true } });
  const counted = async () => (await cli.json(['release', 'stats', '--software', 'acme'])).downloads;
  const earlier = await counted();
  // Use a separate network: each network is counted once an hour.
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  await (await fetch((await news(server, 1)).download_url, { headers })).arrayBuffer();
  assert.equal(await counted(), earlier + 1);
});
