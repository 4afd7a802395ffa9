import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { needProgram } from '../support/debian.ts';
import { startService } from '../support/service.ts';
import { checkProgram, damagedStates, everyOutcome, readOnlyHome } from './cases.ts';
import { COMPILED, codeBlocks, INTERPRETED, programOf } from './languages.ts';
import { checkVerifier, INTERPRETED_VERIFIERS } from './webhook-verifiers.ts';

test('the programs of docs/integrate/ have 30 to 60 lines', () => {
  for (const language of [...INTERPRETED, ...COMPILED]) {
    const lines = programOf(language).match(/^.*\S/gm)?.length ?? 0;
    assert.ok(lines >= 30 && lines <= 60, `${language.name}: ${lines}`);
  }
});

const api = await startService({ after });

// Concurrently, because each waits for its timeout.
describe('the programs of docs/integrate/ distinguish all outcomes', { concurrency: true }, () => {
  for (const language of INTERPRETED) {
    test(language.name, (t) => checkProgram(t, api, language, [everyOutcome, damagedStates, readOnlyHome]));
  }
});

describe('the verifiers of docs/integrate/webhooks.md accept what Latchkey has signed and nothing else', () => {
  for (const verifier of INTERPRETED_VERIFIERS) test(verifier.name, () => checkVerifier(verifier));
});

/** What WordPress calls and is called by, as far as the plugin of the page goes. */
const WORDPRESS = `
const TIMEOUT_SECONDS = 5;
function add_filter($name, $filter) { $GLOBALS['filters'][$name] = $filter; }
function plugin_basename($file) { return 'acme/acme.php'; }
function get_option($name) { return ['token' => getenv('TOKEN')]; }
function get_site_transient($name) { return $GLOBALS['known']; }
function wp_json_encode($value) { return json_encode($value); }
function wp_remote_post($url, $request) {
    $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($request['headers']), $request['headers']);
    $http = ['method' => 'POST', 'header' => $lines, 'content' => $request['body'], 'ignore_errors' => true];
    return file_get_contents($url, false, stream_context_create(['http' => $http]));
}
function wp_remote_retrieve_body($response) { return $response; }
`;
const AFTERWARDS = `
$update = ($GLOBALS['filters']['update_plugins_licenses.example.com'])(false, ['Version' => '1.4.0'], 'acme/acme.php');
$known = (object) ['response' => ['acme/acme.php' => (object) ($update + ['new_version' => $update['version']])]];
$details = ($GLOBALS['filters']['plugins_api'])(false, 'plugin_information', (object) ['slug' => 'acme']);
echo json_encode([$update, $details]);
`;

test('the plugin of docs/integrate/php.md gives WordPress an update, its file and its notes', async () => {
  const php = needProgram('php', 'php-cli');
  const [, ask, updates] = codeBlocks('php', 'php');
  const { id } = await api.software({ name: 'Acme', slug: 'acme' });
  const license = await api.license({ activations_limit: 1 });
  const path = `/licenses/${license.license_key}`;
  const { token } = await api.ok('POST', `/licenses/activate/${license.license_key}`);
  const origin = `http://127.0.0.1:${api.port}`;
  const program = [`const API = '${origin}/client/v1';`, WORDPRESS, ask, updates, AFTERWARDS].join('\n');
  const offered = async () =>
    JSON.parse((await promisify(execFile)(php, ['-r', program], { env: { TOKEN: token } })).stdout);

  assert.deepEqual((await offered())[0], { slug: 'acme', version: '1.4.0', package: '', notes: '' });
  await api.release(id, { version: '1.5.0', changelog: '- Faster', file: new File(['new'], 'acme.zip') });
  const [update, details] = await offered();
  assert.deepEqual([update.slug, update.version], ['acme', '1.5.0']);
  assert.match(update.notes, /<li>Faster/);
  assert.equal(await (await fetch(update.package)).text(), 'new');
  assert.equal(details.sections.changelog, update.notes);
  assert.deepEqual([details.version, details.download_link === update.package], ['1.5.0', true]);
  await api.ok('PUT', path, { json: { expires_at: '2020-01-01 00:00:00' } });
  assert.deepEqual((await offered())[0], { ...update, package: '' });
});
