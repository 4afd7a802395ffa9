import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHITECTURES, type Architecture } from '../../tools/build-deb.ts';
import { needProgram } from '../support/debian.ts';
import { ROOT } from '../support/program.ts';
import { bareMachine, makeArchive } from './machine.ts';

/** The packages of distroless/cc. */
const BASE = 'base-files,ca-certificates,libc6,libgcc-s1,libstdc++6,netbase,tzdata';

/**
 * Builds the image from the Dockerfile with the executable in build/. The base images are built from Debian's packages:
 * tests reach no image registry.
 * @returns the archive for "docker load"
 */
export function buildImage(version: string, folder: string): string {
  const buildah = needProgram('buildah', 'buildah');
  const run = (...args: string[]) =>
    execFileSync(
      buildah,
      [
        '--root',
        join(folder, 'images'),
        '--runroot',
        join(folder, 'run'),
        '--storage-driver',
        'vfs',
        ...args,
      ],
      { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  const imageOf = (name: string, archive: string) => {
    const container = run('from', 'scratch');
    run('add', '--quiet', container, archive, '/');
    run('commit', '--quiet', '--rm', container, `localhost/${name}`);
    return `--build-arg=${name.toUpperCase()}=localhost/${name}`;
  };
  const bases = [
    imageOf('debian', bareMachine()),
    imageOf('base', makeArchive('base', ['--variant=extract', `--include=${BASE}`])),
  ];
  const image = `latchkey:${version}`;
  // The OCI format has no health check.
  const format = ['--isolation=chroot', '--format=docker', '--pull-never'];
  const architecture = ARCHITECTURES[process.arch as Architecture];
  const flags = [...format, `--platform=linux/${architecture}`, '--build-arg=BINARY=given'];
  run('bud', '--quiet', ...flags, ...bases, '--tag', image, '.');
  const file = join(folder, `latchkey_${version}_image_${architecture}.tar`);
  run('push', '--quiet', image, `docker-archive:${file}:${image}`);
  rmSync(join(folder, 'images'), { recursive: true });
  execFileSync('gzip', ['-1', file]);
  return `${file}.gz`;
}
