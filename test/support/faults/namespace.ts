import { spawnSync } from 'node:child_process';

/** The file's second self, inside: it may mount what it likes, and nobody else sees it. */
const INSIDE = 'LATCHKEY_TEST_NAMESPACE';

/**
 * Runs the test file that imports this in a mount namespace of its own, as root or, where this user is not, as what looks
 * like it; all that it mounts is gone with it, however it ends. To be imported before any test is declared.
 */
if (process.env[INSIDE] === undefined && process.platform === 'linux') {
  const flags = [
    '--mount',
    '--fork',
    '--kill-child',
    ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ];
  if (spawnSync('unshare', [...flags, 'true']).status === 0) {
    const { status } = spawnSync(
      'unshare',
      [...flags, process.execPath, ...process.execArgv, ...process.argv.slice(1)],
      { stdio: 'inherit', env: { ...process.env, [INSIDE]: 'yes' } },
    );
    process.exit(status ?? 1);
  }
}

/** Whether file systems can be mounted here. */
export const canMount = process.env[INSIDE] !== undefined;
