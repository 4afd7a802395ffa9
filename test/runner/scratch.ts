import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** The file system in memory of Linux. */
const MEMORY = '/dev/shm';
/** Bytes. A run keeps about 1 GiB there. */
const NEEDED = 8 * 1024 ** 3;

/**
 * Has this process and those that it starts keep temporary files in memory where that has room, which takes a tenth less
 * processor time than a disk. They are removed when this process ends.
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
