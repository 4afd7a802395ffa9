import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../console/build.ts';
import { bundleProgram } from './bundle.ts';

/**
 * `npm run build:package` makes the npm package in build/npm/: the bundle, the built console and the documentation. It has
 * no dependencies. The executable holds the same files.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const PACKAGE = join(ROOT, 'build/npm');
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'];
/** Fields that the package takes from our package.json. */
const FIELDS = ['name', 'version', 'description', 'license', 'type', 'engines'];

/** Returns the URLs of the project: those of the repository that this clone comes from, if git knows one. */
function addresses(): object {
  let origin: string;
  try {
    origin = execFileSync('git', ['remote', 'get-url', 'origin'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch {
    return {};
  }
  // git@host:owner/name.git, ssh://git@host/owner/name.git, https://host/owner/name.git
  const [, host, path] = /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w.-]+)[:/](.+?)(?:\.git)?\/?\s*$/.exec(origin) ?? [];
  if (!host || !path || !host.includes('.')) return {};
  const page = `https://${host}/${path}`;
  return {
    homepage: `${page}#readme`,
    repository: { type: 'git', url: `git+${page}.git` },
    bugs: { url: `${page}/issues` },
  };
}

async function buildPackage(): Promise<void> {
  await buildConsole({ ifMissing: true });
  await rm(PACKAGE, { recursive: true, force: true });
  await mkdir(PACKAGE, { recursive: true });
  await bundleProgram(join(PACKAGE, 'dist'));
  await cp(join(ROOT, 'dist/console'), join(PACKAGE, 'dist/console'), {
    recursive: true,
    // Omit the manifest of the build and the hash of its source.
    filter: (source) => !basename(source).startsWith('.'),
  });
  await cp(join(ROOT, 'docs'), join(PACKAGE, 'docs'), {
    recursive: true,
    filter: (source) => basename(source) !== 'screenshots',
  });
  for (const name of DOCUMENTS) await cp(join(ROOT, name), join(PACKAGE, name));
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const manifest = {
    ...Object.fromEntries(FIELDS.map((name) => [name, own[name]])),
    ...addresses(),
    bin: { latchkey: 'dist/start.js' },
    files: ['dist', 'docs', ...DOCUMENTS],
  };
  await writeFile(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.main) await buildPackage();
