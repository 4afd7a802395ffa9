import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isRoot } from './faults/unprivileged.ts';

/**
 * Installs a package. Only one process at a time runs this, because several test files may start at once. $0 is a
 * program or a file of the package, $1 the package.
 */
const INSTALL = `
  command -v "$0" || test -e "$0" || {
    echo "$0 is not installed: installing Debian's package $1" >&2
    # Ignore a failed update: the unreachable source may not be the one with the package.
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1"
  }`;

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of a program; undefined if it is not installed. @param folders to search in addition to PATH */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const all = [...(process.env.PATH ?? '').split(delimiter), ...folders];
  return all.map((folder) => join(folder, name)).find(isProgram);
}

/** Installs a Debian package, unless another process has just done so. @throws Error with `missing` if it cannot */
export function installPackage(name: string, program: string, missing: string): void {
  if (!isRoot || process.platform !== 'linux') throw new Error(missing);
  try {
    const lock = join(tmpdir(), 'latchkey-apt.lock');
    execFileSync('flock', [lock, 'sh', '-c', INSTALL, program, name], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } catch (error) {
    throw new Error(missing, { cause: error });
  }
}

/**
 * Returns an installed program, or installs Debian's package if that is allowed. @throws Error that says what to
 * install
 */
export function needProgram(program: string, packageName: string, folders: readonly string[] = []): string {
  const missing = `These tests need ${program}. Install it (Debian: apt-get install ${packageName}).`;
  const installed = findProgram(program, folders);
  if (installed) return installed;
  installPackage(packageName, program, missing);
  const found = findProgram(program, folders);
  if (!found) throw new Error(missing);
  return found;
}

/** Installs Debian's package if its file is missing. @throws Error that says what to install */
export function needFile(file: string, packageName: string): void {
  if (existsSync(file)) return;
  installPackage(packageName, file, `These tests need ${file}. Install Debian's package ${packageName}.`);
}
