import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canMount } from './namespace.ts';
import { createRandom } from './random.ts';

/** A disk that loses unflushed writes when its power is cut. */
export interface VolatileDisk {
  fileSystem: string;
  /** The mount point of its file system. */
  folder: string;
  /**
   * Cuts the power: a random part of the writes since the last flush is lost. From then on the disk does not answer,
   * and all that use it wait.
   */
  cut(): Promise<void>;
  /** Unplugs the disk: all pending requests fail. */
  unplug(): Promise<void>;
  /** Mounts the disk again, after all programs that used it have ended. The file system recovers. */
  plug(): Promise<void>;
  /** Returns the number of cuts so far, and the total loss. */
  summary(): string;
  /** Unmounts the disk. @param keep leaves its bytes in the file `platter` beside the folder */
  close(options: { keep: boolean }): void;
}

/** Size in bytes. The file is sparse. */
const SIZE = 4 * 1024 ** 3;
const SERVER = join(import.meta.dirname, 'volatile-disk-server.ts');
const MAKE: Record<string, string[]> = {
  ext4: ['mkfs.ext4', '-q', '-E', 'nodiscard'],
  xfs: ['mkfs.xfs', '-q', '-K'],
  btrfs: ['mkfs.btrfs', '-q', '-K'],
};

/** Returns the reason why this machine cannot have such a disk; null if it can. */
export function whyNoDisk(fileSystem: string): string | null {
  if (!MAKE[fileSystem]) return `the file system is one of ${Object.keys(MAKE).join(', ')}`;
  if (!canMount || process.getuid?.() !== 0) return 'this needs Linux, root, and the right to mount';
  try {
    for (const device of ['/dev/fuse', '/dev/loop-control'])
      accessSync(device, constants.R_OK | constants.W_OK);
  } catch (error) {
    return `this needs a device: ${(error as Error).message}`;
  }
  const [tool = ''] = MAKE[fileSystem];
  return spawnSync(tool, ['-V']).error ? `this needs ${tool}` : null;
}

export async function createVolatileDisk(fileSystem: string, seed: number): Promise<VolatileDisk> {
  const random = createRandom(seed);
  const own = mkdtempSync(join(tmpdir(), 'latchkey-disk-'));
  const [platter, device, folder] = ['platter', 'device', 'mounted'].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ];
  for (const file of [platter, device]) writeFileSync(file, '');
  truncateSync(platter, SIZE);
  mkdirSync(folder);
  const [tool = '', ...args] = MAKE[fileSystem] ?? [];
  execFileSync(tool, [...args, platter]);
  let server: ChildProcess | null = null;
  const total = { cuts: 0, sectors: 0, lost: 0 };

  async function plug(): Promise<void> {
    server = fork(SERVER, [platter, device]);
    const ended = once(server, 'exit');
    if (!(await Promise.race([once(server, 'message'), ended.then(() => null)])))
      throw new Error('the disk does not start');
    execFileSync('mount', ['-o', 'loop', '-t', fileSystem, device, folder]);
  }
  async function unplug(): Promise<void> {
    const ended = once(server as ChildProcess, 'exit');
    server?.kill('SIGKILL');
    await ended;
    server = null;
  }
  await plug();
  return {
    fileSystem,
    folder,
    async cut() {
      const cut = once(server as ChildProcess, 'message');
      server?.send({ cut: random.below(2 ** 32) });
      const [done] = await cut;
      total.cuts++;
      total.sectors += done.sectors;
      total.lost += done.lost;
    },
    unplug,
    async plug() {
      for (const one of [folder, device]) execFileSync('umount', [one]);
      await plug();
    },
    summary: () =>
      `${total.cuts} power cuts on ${fileSystem}; ${total.lost} of ${total.sectors} sectors in the cache were lost`,
    close({ keep }) {
      spawnSync('umount', [folder]);
      server?.kill('SIGKILL');
      spawnSync('umount', [device]);
      if (!keep) rmSync(own, { recursive: true, force: true });
    },
  };
}
