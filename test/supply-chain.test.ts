import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { ROOT } from './support/program.ts';

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const { '': _own, ...packages }: Record<string, Locked> = JSON.parse(read('package-lock.json')).packages;
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');
const page = read('docs/dependencies.md');

/** First cells of the table under a heading of the page. */
function listed(heading: string): string[] {
  const section = page.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name as string).sort();
}

test('docs/dependencies.md gives a reason for each dependency, and for nothing else', () => {
  assert.deepEqual(listed('In the running service'), Object.keys(manifest.dependencies).sort());
  assert.deepEqual(listed('For building and testing'), Object.keys(manifest.devDependencies).sort());
});

test('the lock file holds the integrity of every package, and none from elsewhere', () => {
  for (const [path, { integrity, resolved }] of Object.entries(packages)) {
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
});

test('only the packages that the page names run a script when they are installed, and none of the service', () => {
  const named = listed('Scripts that run at the installation');
  assert.deepEqual(named, Object.keys(manifest.allowScripts).sort());
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  for (const [path, { dev }] of scripted) assert.equal(dev, true, path);
  const families = new Set(named.map((name) => name.split('/')[0]));
  for (const [path] of scripted) assert.ok(families.has(nameOf(path).split('/')[0] as string), path);
  for (const name of named)
    assert.ok(
      scripted.some(([path]) => nameOf(path) === name),
      name,
    );
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
    assert.ok(!(script in manifest.scripts), script);
});

test('the service holds nothing under a license that asks for more than its notice', () => {
  for (const [path, { dev, license }] of Object.entries(packages)) {
    if (!dev) assert.match(license ?? '', /^(MIT|ISC|0BSD|BSD-3-Clause|BlueOak-1\.0\.0|Apache-2\.0)$/, path);
  }
});

test('the runtime is the one that the page names', async (t) => {
  const version = manifest.devDependencies.node;
  assert.match(page, new RegExp(`^\\| runtime ${version.replaceAll('.', '\\.')} `, 'm'));
  assert.equal(process.version, `v${version}`);
  const platform = `${process.platform}-${process.arch}`;
  const expected = new RegExp(`^\\| ${platform} \\| \`([0-9a-f]{64})\``, 'm').exec(page)?.[1];
  if (!expected) return t.diagnostic(`the page names no runtime of ${platform}`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(process.execPath), hash);
  assert.equal(hash.digest('hex'), expected);
});

interface Component {
  name: string;
  version: string;
  hashes: unknown[];
  properties: { name: string }[];
}

test('npm run sbom lists every package of the service with its hash, and marks what is for development', () => {
  const { stdout, stderr } = spawnSync('npm', ['run', '-s', 'sbom'], { cwd: ROOT, encoding: 'utf8' });
  assert.ok(stdout, stderr);
  const bill: { bomFormat: string; components: Component[] } = JSON.parse(stdout);
  assert.equal(bill.bomFormat, 'CycloneDX');
  for (const { name, hashes } of bill.components) assert.ok(hashes.length > 0, name);
  const ofService = bill.components.filter(({ properties }) =>
    properties.every(({ name }) => name !== 'cdx:npm:package:development'),
  );
  const locked = Object.entries(packages).filter(([, { dev }]) => !dev);
  assert.deepEqual(
    new Set(ofService.map(({ name, version }) => `${name}@${version}`)),
    new Set(locked.map(([path, { version }]) => `${nameOf(path)}@${version}`)),
  );
});
