import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/**
 * `npm run build:deb` packs each executable in build/ into a Debian package beside it. Needs Debian's dpkg-deb.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILD = join(ROOT, 'build');
const SOURCE = join(ROOT, 'deploy/debian');
/** Licenses of the packages in the executable. */
const LICENSES = join(BUILD, 'npm/dist/program/licenses.txt');

/** Debian's names of architectures, by those of Node.js. */
export const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const;
export type Architecture = keyof typeof ARCHITECTURES;
export const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
const executableOf = (architecture: Architecture): string => join(BUILD, `latchkey-linux-${architecture}`);
const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/latchkey',
  zsh: 'usr/share/zsh/vendor-completions/_latchkey',
  fish: 'usr/share/fish/vendor_completions.d/latchkey.fish',
};
const CONTROL = ['conffiles', 'postinst', 'prerm', 'postrm'];
/** The configuration file may hold secrets, so other users may not read it. postinst gives it to the service's group. */
const PRIVATE = 'etc/latchkey/latchkey.env';

/**
 * Builds the package of one architecture.
 * @param options.version as in package.json; 1.0.0-rc.1 becomes 1.0.0~rc.1, which precedes 1.0.0
 * @param options.folder for the package
 * @returns the package file
 */
export function buildDeb(
  architecture: Architecture,
  {
    version = VERSION,
    folder = BUILD,
    compression = 'xz',
  }: { version?: string; folder?: string; compression?: 'xz' | 'none' } = {},
): string {
  const debVersion = version.replace('-', '~');
  const name = `latchkey_${debVersion}_${ARCHITECTURES[architecture]}`;
  const tree = join(folder, name);
  rmSync(tree, { recursive: true, force: true });
  cpSync(join(SOURCE, 'files'), tree, { recursive: true });
  mkdirSync(join(tree, 'usr/lib/latchkey'), { recursive: true });
  copyFileSync(executableOf(architecture), join(tree, 'usr/lib/latchkey/latchkey'));
  copyFileSync(LICENSES, join(tree, 'usr/share/doc/latchkey/licenses.txt'));
  const changes = gzipSync(readFileSync(join(ROOT, 'CHANGELOG.md')));
  writeFileSync(join(tree, 'usr/share/doc/latchkey/changelog.gz'), changes);
  addCompletion(tree);

  const files = globSync('**/*', { cwd: tree }).filter((file) => lstatSync(join(tree, file)).isFile());
  for (const file of files) chmodSync(join(tree, file), modeOf(file));
  // Set the modes of folders: they would depend on the umask of the build.
  for (const folder of ['', ...globSync('**/', { cwd: tree })]) chmodSync(join(tree, folder), 0o755);
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(tree, file)).size, 0);
  const values: Record<string, string> = {
    VERSION: debVersion,
    ARCHITECTURE: ARCHITECTURES[architecture],
    SIZE: String(Math.ceil(bytes / 1024)),
  };
  const control = readFileSync(join(SOURCE, 'control'), 'utf8');
  mkdirSync(join(tree, 'DEBIAN'));
  writeFileSync(
    join(tree, 'DEBIAN/control'),
    control.replace(/@(\w+)@/g, (_all, key: string) => values[key] ?? ''),
  );
  writeFileSync(
    join(tree, 'DEBIAN/md5sums'),
    files
      .filter((file) => !file.startsWith('etc/'))
      .map((file) => `${md5(join(tree, file))}  ${file}\n`)
      .join(''),
  );
  for (const one of CONTROL) {
    copyFileSync(join(SOURCE, one), join(tree, 'DEBIAN', one));
    chmodSync(join(tree, 'DEBIAN', one), one === 'conffiles' ? 0o644 : 0o755);
  }
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, tree, `${tree}.deb`], {
    stdio: 'inherit',
  });
  rmSync(tree, { recursive: true });
  return `${tree}.deb`;
}

function modeOf(file: string): number {
  if (file === PRIVATE) return 0o640;
  return file.startsWith('usr/bin/') || file === 'usr/lib/latchkey/latchkey' ? 0o755 : 0o644;
}

const md5 = (file: string): string => createHash('md5').update(readFileSync(file)).digest('hex');

/** Adds shell completion, which is the same on every architecture. */
function addCompletion(tree: string): void {
  for (const [shell, file] of Object.entries(COMPLETIONS)) {
    const script = execFileSync(process.execPath, [join(ROOT, 'src/start.js'), 'completion', shell]);
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), script);
  }
}

if (import.meta.main) {
  const found = Object.keys(ARCHITECTURES).filter((one) => existsSync(executableOf(one as Architecture)));
  if (found.length === 0) throw new Error('build/ has no executable: run "npm run build:binary" first');
  for (const one of found) {
    const file = buildDeb(one as Architecture);
    process.stdout.write(`${relative(ROOT, file)}  ${(lstatSync(file).size / 1e6).toFixed(1)} MB\n`);
  }
}
