import { spawnSync } from 'node:child_process';

/** Set in the restarted process, which runs inside the namespace. */
const INSIDE = 'LATCHKEY_TEST_NAMESPACE';

/**
 * Restarts the test file that imports this module in its own mount namespace, as root or, for other users, as root of a
 * user namespace. Its mounts are invisible outside, and disappear with it, however it ends. Import this module before
 * any test is declared.
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

/** Whether this process can mount file systems. */
export const canMount = process.env[INSIDE] !== undefined;
