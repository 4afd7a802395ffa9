import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { Errors } from 'typebox/schema';
import { typesOf } from '../../../console/generate-client.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { LICENSE_KEY, TOKEN } from '../../../src/domain/example-records.ts';
import { CODES } from '../../../src/http/client/errors.ts';
import { type Entry, entriesOf } from '../../../src/http/docs/entries.ts';
import { samplesOf } from '../../../src/http/docs/samples.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { CUSTOMER_PROGRAM } from '../../support/http/customer-program.ts';
import { resolved, shapeOf } from '../../support/http/document.ts';
import { RUNNERS } from '../../support/http/sample-runners.ts';
import { offlineDevice } from '../../support/leases/offline-device.ts';
import { ROOT } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const origin = `http://127.0.0.1:${api.port}`;
const { body: document } = await api.call('GET', '/openapi.json', { credentials: null });
const entries = entriesOf(document);
const entryOf = (id: string): Entry => entries.find((one) => one.id === id) as Entry;

suite('/docs', () => {
  /** Returns the URLs that a page or style sheet loads. */
  const links = (text: string) =>
    [...text.matchAll(/\b(?:src|href)\s*=\s*["']([^"'#]+)["']|url\(\s*["']?([^"')]+)["']?\s*\)/g)]
      .map(([, attribute, css]) => attribute ?? css ?? '')
      .filter((address) => !address.startsWith('data:'));

  test('answers HTML without credentials, and loads only its own resources', async () => {
    const page = await fetch(`${origin}/docs`);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const found = links(await page.text());
    assert.ok(found.length > 2, 'the page loads scripts and styles');
    for (const address of found) {
      const asset = new URL(address, page.url);
      assert.equal(asset.origin, origin, address);
      const response = await fetch(asset);
      assert.equal(response.status, 200, address);
      assert.deepEqual(links(await response.text()), [], address);
    }
  });
  test('forbids other hosts and inline code in its Content-Security-Policy', async () => {
    const page = await fetch(`${origin}/docs/`);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https?:\/\/|\*|'unsafe-/);
    assert.doesNotMatch(await page.text(), /<style|<script>|\son\w+=|\sstyle=/);
  });
  test('serves the document as JSON and YAML', async () => {
    assert.deepEqual(await (await fetch(`${origin}/docs/json`)).json(), document);
    assert.match(await (await fetch(`${origin}/docs/yaml`)).text(), /^openapi: 3\.1\.0\n/);
  });
  test('works below the path of a base URL, whether or not a proxy strips the path', async (t) => {
    const { port } = await startService(t, { server: { baseUrl: 'https://example.com/shop' } });
    for (const path of ['/docs', '/docs/', '/shop/docs']) {
      const page = await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      for (const address of links(page)) assert.match(address, /^\/shop\/docs\//, path);
      assert.match(page, /data-root="\/shop\/wp-json\/dlm\/v1"/);
      assert.match(page, /data-root="\/shop\/client\/v1"/);
    }
    const answer = await fetch(`http://127.0.0.1:${port}/client/v1/nothing`);
    const problem = (await answer.json()) as { type: string };
    assert.equal(problem.type, 'https://example.com/shop/docs/#client-error-not_found');
  });
  test('starts with authentication, errors, paging and retries, and has every operation, record and error', async () => {
    const html = await (await fetch(`${origin}/docs`)).text();
    const ids = [...html.matchAll(/<(?:h2|section|form|main|nav|tr)[^>]*\bid="([^"]+)"/g)].map(
      ([, id]) => id,
    );
    assert.equal(new Set(ids).size, ids.length);
    const first = ['authentication', 'requests', 'answers', 'errors', 'paging', 'retries-and-limits'];
    assert.deepEqual(
      ids.filter((id) => first.includes(`${id}`)),
      first,
    );
    for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(id), String(id));
    for (const { id } of entries) assert.ok(ids.includes(id), id);
    for (const code of Object.keys(CODES)) assert.ok(ids.includes(`client-error-${code}`), code);
    for (const type of Object.keys(document.webhooks))
      assert.ok(html.includes(`<tr id="event-${type}">`), type);
    assert.ok(ids.includes('record-LicensedActivation') && !ids.includes('record-CreateLicense'));
    for (const name of Object.keys(document.components.examples)) {
      const { summary } = document.components.examples[name];
      if (summary) assert.ok(html.includes(summary.replaceAll('"', '&#34;')), name);
    }
    for (const language of ['curl', 'JavaScript', 'Python', 'PHP'])
      assert.equal(html.split(`<figure data-language="${language}">`).length, entries.length + 1);
  });
});

/** The operations in an order in which each example succeeds on an empty database. */
const IN_ORDER = [
  ...['createEventEndpoint', 'listEventEndpoints', 'getEventEndpoint', 'updateEventEndpoint'],
  'rotateEventSecret',
  ...['createSoftware', 'listSoftware', 'updateSoftware', 'createRelease', 'listReleases'],
  ...[
    'createLicense',
    'updateLicense',
    'listLicenses',
    'activateLicense',
    'getLicense',
    'validateActivation',
  ],
  ...['activateDevice', 'validateDevice', 'checkForUpdate', 'deactivateDevice', 'getRevocations'],
  ...['activateOfflineDevice', 'deactivateOfflineDevice', 'getLicenseFile'],
  ...[
    'getUpdate',
    'downloadRelease',
    'countDownloads',
    'deactivateActivation',
    'listAuditEntries',
    'countUsage',
  ],
  ...['createGenerator', 'getGenerator', 'listGenerators', 'updateGenerator', 'generateLicenseKeys'],
  ...['readEvents', 'listEventDeliveries', 'redeliverEvents', 'sendTestEvent', 'deleteEventEndpoint'],
  ...['updateRelease', 'deleteGenerator', 'deleteRelease', 'deleteSoftware', 'deleteLicense'],
];

test('every example request succeeds, and its answer has the fields of the example and matches the schema', async (t) => {
  const fresh = await startService(t);
  assert.deepEqual(IN_ORDER.toSorted(), entries.map(({ id }) => id).toSorted());
  let token = '';
  let deviceToken = '';
  const device = offlineDevice();
  const written: Record<string, object> = {
    activateOfflineDevice: { request: device.request(LICENSE_KEY, Date.now()) },
  };
  for (const id of IN_ORDER) {
    const { method, root, path: documented, request, answers } = entryOf(id);
    // Places the events without sending them: the URL in the example belongs to nobody.
    if (id === 'readEvents') await fresh.service.execute('place-events', null, SYSTEM);
    if (root !== null) {
      const answer = await fetch(new URL(root + documented, fresh.root), {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${deviceToken}` },
        ...(request.body && { body: JSON.stringify({ ...request.body, ...written[id] }) }),
      });
      const text = await answer.text();
      assert.ok(answer.ok, `${id}: ${text}`);
      if (answer.status === 204 || answer.headers.get('content-type') === 'application/jwt') continue;
      const body = JSON.parse(text);
      const { content } = resolved(document).paths[documented].post.responses[answer.status];
      assert.deepEqual(Errors(content['application/json'].schema, body)[1], [], id);
      assert.equal(shapeOf(body), shapeOf(answers[0]?.[1]), id);
      const { activation, license } = body;
      deviceToken ||= activation?.token;
      const receipt = activation && device.receipt(activation.id, license.id, Date.now() + 1_000);
      written.deactivateOfflineDevice = { receipt };
      continue;
    }
    const query = JSON.parse(JSON.stringify(request.query).replaceAll(TOKEN, token));
    const { meta = {}, ...plain } = query;
    const nested = Object.entries(meta).map(([key, value]) => [`meta[${key}]`, value]);
    const { file, ...fields } = request.body ?? {};
    const answer = await fresh.call(method, request.path.replace(TOKEN, token), {
      query: { ...plain, ...Object.fromEntries(nested) },
      ...(file
        ? { multipart: { ...(fields as Record<string, string>), file: new File(['bytes'], String(file)) } }
        : request.body && { json: request.body }),
    });
    assert.equal(answer.status, 200, `${id}: ${JSON.stringify(answer.body)}`);
    if (answers.length === 0) continue;
    const { responses } = resolved(document).paths[documented][method.toLowerCase()];
    assert.deepEqual(Errors(responses[200].content['application/json'].schema, answer.body)[1], [], id);
    const isLike = answers.some(([, one]) => shapeOf(one.data) === shapeOf(answer.body.data));
    assert.ok(isLike || answer.body.data.length === 0, `${id}: ${JSON.stringify(answer.body.data)}`);
    if (id === 'activateLicense') token = answer.body.data.token;
  }
});

const run = promisify(execFile);

for (const [language, { extension, command, args }] of Object.entries(RUNNERS)) {
  const program = command();
  const skip = program === undefined && `${language} is not installed`;
  test(`the samples in ${language} work, and fail with the server's error`, { skip }, async (t) => {
    const fresh = await startService(t);
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'acme-editor.zip'), 'the bytes of a release');
    const env = {
      PATH: process.env.PATH,
      ROOT: fresh.root,
      CLIENT: new URL('/client/v1', fresh.root).href,
      KEY: fresh.credentials.consumerKey,
      SECRET: fresh.credentials.consumerSecret,
    };
    const runSamples = (ids: string[], token: string) => {
      const files = ids.map((id) => {
        const file = join(cwd, `${id}.${extension}`);
        const code: Record<string, string> = samplesOf(entryOf(id).request);
        writeFileSync(file, code[language]?.replaceAll(TOKEN, token) ?? '');
        return file;
      });
      return run(`${program}`, args(files), { cwd, env: { ...env, TOKEN: token } });
    };

    await runSamples(
      [
        ...['createSoftware', 'createRelease', 'createLicense', 'updateLicense', 'activateDevice'],
        'activateLicense',
      ],
      '',
    );
    const { activations, ...license } = await fresh.ok('GET', `/licenses/${LICENSE_KEY}`);
    assert.deepEqual([license.order_id, license.activations_limit], [4711, 5]);
    const [{ token, label, meta_data }, device] = activations;
    assert.deepEqual([label, meta_data], ['Office laptop', { os: 'linux', version: '1.4.0' }]);
    const [release] = await fresh.ok('GET', '/software/1/releases');
    assert.deepEqual([release.version, release.file_name, release.size], ['1.4.0', 'acme-editor.zip', 22]);

    writeFileSync(join(cwd, 'acme-editor.zip'), '');
    const used = ['listLicenses', 'validateActivation', 'getUpdate', 'downloadRelease', 'getLicenseFile'];
    const { stdout } = await runSamples([...used, 'deactivateActivation'], token);
    assert.ok(stdout.includes(LICENSE_KEY) && stdout.includes(token), stdout);
    assert.equal(readFileSync(join(cwd, 'acme-editor.zip'), 'utf8'), 'the bytes of a release');
    assert.match(readFileSync(join(cwd, 'acme.lic'), 'utf8'), /^LKLEASE1/);

    const ofDevice = await runSamples(['validateDevice', 'checkForUpdate', 'deactivateDevice'], device.token);
    assert.match(ofDevice.stdout, /Laptop.*notes_html/s);
    const ended = await runSamples(['validateDevice'], device.token).catch((error) => error);
    assert.match(ended.stdout + ended.stderr, /activation_ended.*was deactivated\./s);
    assert.ok(ended.code > 0);
    const last = await runSamples(['deleteLicense', 'validateActivation'], token).catch((error) => error);
    assert.ok(last.code > 0, last.stdout);
    assert.match(last.stdout + last.stderr, /data_error.*could not be found\./s);
    assert.equal((await fresh.call('GET', `/licenses/${LICENSE_KEY}`)).status, 404);
  });
}

test('the document says what each object and each list holds', () => {
  const silent: string[] = [];
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, properties, additionalProperties, items } = node as Record<string, unknown>;
    const isOf = (one: string) => [type].flat().includes(one);
    if (isOf('object') && !properties && !additionalProperties) silent.push(path);
    if (isOf('array') && !items) silent.push(path);
    for (const [name, one] of Object.entries(node))
      if (!/^examples?$/.test(name)) visit(one, `${path}/${name}`);
  };
  visit(document, '');
  assert.deepEqual(silent, []);
});

test('the document sends a file in its form, and not in JSON', () => {
  const { content } = document.paths['/software/{software_id}/releases'].post.requestBody;
  assert.equal(content['application/json'].example, undefined);
  assert.equal(content['multipart/form-data'].example.file, 'acme-editor.zip');
});

test('a client generated from the document compiles, creates, activates, validates, lists and deactivates', async (t) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'schema.ts'), await typesOf(document));
  writeFileSync(join(folder, 'program.ts'), CUSTOMER_PROGRAM);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'node_modules/openapi-fetch'), join(folder, 'node_modules/openapi-fetch'));
  symlinkSync(
    join(ROOT, 'node_modules/openapi-typescript-helpers'),
    join(folder, 'node_modules/openapi-typescript-helpers'),
  );
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext'];
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const more = ['--allowImportingTsExtensions', '--types', '', '--lib', 'es2024,dom,dom.iterable'];
  await run(process.execPath, [compiler, ...options, ...more, 'program.ts'], { cwd: folder }).catch((error) =>
    assert.fail(error.stdout),
  );
  const fresh = await startService(t);
  for (const status of [1, 2, 3, 3]) await fresh.license({ status });
  const { useLicense } = await import(join(folder, 'program.ts'));
  const { consumerKey, consumerSecret } = fresh.credentials;
  const used = await useLicense(fresh.root, `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`);
  assert.deepEqual(used.meta, { os: 'linux', nested: 'a=b&c' });
  assert.deepEqual([used.created, used.isGood], [200, true]);
  assert.deepEqual([used.problem.code, used.problem.data.status], ['license_activation_limit_reached', 404]);
  assert.equal(used.expires, null);
  assert.equal(used.keys.length, 4);
  assert.equal(new Set(used.keys).size, 4);
  assert.match(used.at, /^\d{4}-/);
});
