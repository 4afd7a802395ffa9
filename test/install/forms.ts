import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/program.ts';

/** An installed program. */
export interface Form {
  name: string;
  /** The executable file. */
  file: string;
  /** The folder with all installed files. */
  folder: string;
  /** The `PATH` to run the program with. */
  path: string;
}

function run(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, error?.message ?? stdout + stderr);
  return stdout;
}

const built = (file: string): string => {
  assert.ok(existsSync(file), `${file} is missing: run "npm run build:binary"`);
  return file;
};

/** Installs the npm package into an empty prefix, without the network. */
export function installPackage(): Form {
  const folder = temporaryFolder();
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder, built(join(ROOT, 'build/npm'))]),
  );
  const prefix = join(folder, 'prefix');
  run('npm', ['install', '--global', '--offline', '--prefix', prefix, join(folder, packed.filename)]);
  return {
    name: 'the npm package',
    file: join(prefix, 'bin/latchkey'),
    folder: prefix,
    path: dirname(process.execPath),
  };
}

/** Copies the executable alone into an empty folder. There is no Node.js in its path. */
export function copyExecutable(): Form {
  const folder = temporaryFolder();
  const file = join(folder, 'latchkey');
  copyFileSync(built(join(ROOT, `build/latchkey-${process.platform}-${process.arch}`)), file);
  return { name: 'the executable', file, folder, path: folder };
}
