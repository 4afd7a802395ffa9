import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** The in-memory file system of Linux. */
const MEMORY = '/dev/shm';
/** Free bytes that are required. A run uses about 1 GiB. */
const NEEDED = 8 * 1024 ** 3;

/**
 * Moves the temporary files of this process and its children into memory if there is room, which takes a tenth less
 * processor time than a disk. Removes them when this process ends. Does nothing if TMPDIR is set.
 */
export function keepFilesInMemory(): void {
  if (process.env.TMPDIR || !hasRoom()) return;
  const folder = mkdtempSync(join(MEMORY, 'latchkey-run-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED;
  } catch {
    return false;
  }
}
