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
  link?: boolean;
  dependencies?: Record<string, string>;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const ofConsole = JSON.parse(read('console/package.json'));
const ofSdk = JSON.parse(read('sdk/javascript/package.json'));
const WORKSPACES = { console: ofConsole, 'sdk/javascript': ofSdk };
/** Paths in the lock file that are our own: the workspaces and the links to them. */
const OWN = ['', ...Object.entries(WORKSPACES).flatMap(([path, { name }]) => [path, `node_modules/${name}`])];
const locked: Record<string, Locked> = JSON.parse(read('package-lock.json')).packages;
const packages = Object.fromEntries(Object.entries(locked).filter(([path]) => !OWN.includes(path)));
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');
const page = read('docs/contribute/dependencies.md');

/** Returns the first cells of the table under a heading of the page. */
function listed(heading: string): string[] {
  const section = page.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name as string).sort();
}

test('docs/contribute/dependencies.md explains every dependency, and nothing else', () => {
  assert.deepEqual(listed('In the running service'), Object.keys(manifest.dependencies).sort());
  assert.deepEqual(listed('For building and testing'), Object.keys(manifest.devDependencies).sort());
  assert.deepEqual(listed('In the console'), Object.keys(ofConsole.devDependencies).sort());
  assert.deepEqual(ofConsole.dependencies, undefined);
});

test('the SDK has no dependencies, and its tools have the same versions as those of the service', () => {
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    assert.equal(ofSdk[kind], undefined, kind);
  for (const [name, version] of Object.entries(ofSdk.devDependencies))
    assert.equal(version, manifest.devDependencies[name], name);
});

test('the lock file describes the workspaces as they are, and has no other links', () => {
  const links = Object.entries(locked).filter(([, { link }]) => link);
  const expected = Object.entries(WORKSPACES).map(([path, { name }]) => [
    `node_modules/${name}`,
    { resolved: path, link: true },
  ]);
  assert.deepEqual(new Map(links as []), new Map(expected as []));
  for (const [path, { name, version, license, engines, devDependencies }] of Object.entries(WORKSPACES))
    assert.deepEqual(locked[path], {
      name,
      version,
      ...(license && { license }),
      ...(engines && { engines }),
      devDependencies,
    });
});

test('the lock file has the integrity of every package, and no package from another registry', () => {
  for (const [path, { integrity, resolved }] of Object.entries(packages)) {
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
});

test('only development packages that the page lists run installation scripts; Latchkey itself runs none', () => {
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

/**
 * Licensed under PSF-2.0, which asks for more only of modified copies. Only the command line of markdown-it loads it,
 * not Latchkey.
 */
const UNCHANGED = 'argparse';

test('every package of the service has a license that asks only for its notice', () => {
  for (const [path, { dev, license }] of Object.entries(packages)) {
    if (dev || nameOf(path) === UNCHANGED) continue;
    assert.match(license ?? '', /^(MIT|ISC|0BSD|BSD-[23]-Clause|BlueOak-1\.0\.0|Apache-2\.0)$/, path);
  }
});

/** Packages of the console that only build it. */
const TOOLS = /^(@types\/.*|@vitejs\/.*|vite|postcss.*|typescript|openapi-typescript)$/;
const FREE = /^(MIT|ISC|0BSD|BSD-3-Clause|BlueOak-1\.0\.0|Apache-2\.0|CC0-1\.0|Unlicense)$/;

/**
 * Returns the path of the package that another package imports by a name, resolved as Node.js does; undefined if it is
 * not installed.
 */
function locate(from: string, name: string): string | undefined {
  const places = [from, ...from.split('/').map((_, i, parts) => parts.slice(0, -i).join('/')), ''];
  return places
    .map((place) => `${place}${place && '/'}node_modules/${name}`)
    .find((path) => path in packages);
}

test('every package sent to the browser has a license that asks only for its notice', () => {
  const sent = new Set<string>();
  const add = (from: string, name: string): void => {
    const path = locate(from, name);
    if (!path || sent.has(path)) return;
    sent.add(path);
    for (const needed of Object.keys(packages[path]?.dependencies ?? {})) add(path, needed);
  };
  for (const name of Object.keys(ofConsole.devDependencies)) if (!TOOLS.test(name)) add('console', name);
  assert.ok(sent.size > 60, `${sent.size} packages`);
  for (const path of sent) {
    const licenses = (packages[path]?.license ?? '').replace(/[()]/g, '').split(/ AND | OR /);
    for (const license of licenses) assert.match(license, FREE, path);
  }
});

test('the runtime matches the version and hash in docs/contribute/dependencies.md', async (t) => {
  const version = manifest.devDependencies.node;
  assert.match(page, new RegExp(`^\\| runtime ${version.replaceAll('.', '\\.')} `, 'm'));
  assert.equal(process.version, `v${version}`);
  const platform = `${process.platform}-${process.arch}`;
  const expected = new RegExp(`^\\| ${platform} \\| \`([0-9a-f]{64})\``, 'm').exec(page)?.[1];
  if (!expected) return t.diagnostic(`the page lists no runtime for ${platform}`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(process.execPath), hash);
  assert.equal(hash.digest('hex'), expected);
});

/** The names of the workspaces in the SBOM. */
const OURS = ['console', 'javascript'];

interface Component {
  name: string;
  version: string;
  hashes: unknown[];
  properties: { name: string }[];
}

test('npm run sbom lists every package of the service with its hash, and marks development packages', () => {
  const { stdout, stderr } = spawnSync(manifest.scripts.sbom, { cwd: ROOT, shell: true, encoding: 'utf8' });
  assert.ok(stdout, stderr);
  const bill: { bomFormat: string; components: Component[] } = JSON.parse(stdout);
  assert.equal(bill.bomFormat, 'CycloneDX');
  const ofOthers = bill.components.filter(({ name }) => !OURS.includes(name));
  assert.equal(ofOthers.length, bill.components.length - OURS.length);
  for (const { name, hashes } of ofOthers) assert.ok(hashes.length > 0, name);
  const ofService = ofOthers.filter(({ properties }) =>
    properties.every(({ name }) => name !== 'cdx:npm:package:development'),
  );
  const needed = Object.entries(packages).filter(([, { dev }]) => !dev);
  assert.deepEqual(
    new Set(ofService.map(({ name, version }) => `${name}@${version}`)),
    new Set(needed.map(([path, { version }]) => `${nameOf(path)}@${version}`)),
  );
});
