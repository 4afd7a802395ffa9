import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Flags and settings that make a service observable, and the observations. */
export interface Probe {
  nodeFlags: string[];
  settings: Record<string, string>;
  /** Commits so far. */
  commits(): number;
  /** Delays each commit from now on. */
  delayCommits(milliseconds: number): void;
  remove(): void;
}

/** Offsets in the file: the number of commits, the delay in milliseconds (both 8-byte numbers), and the end. */
export const [COUNT, DELAY, END] = [0, 8, 16];

export function createProbe(): Probe {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-probe-'));
  const file = join(folder, 'probe');
  const bytes = Buffer.alloc(END);
  writeFileSync(file, bytes);
  return {
    nodeFlags: ['--import', new URL('./inside.ts', import.meta.url).href],
    settings: { BENCH_PROBE: file },
    commits: () => readFileSync(file).readDoubleLE(COUNT),
    delayCommits(milliseconds) {
      readFileSync(file).copy(bytes);
      bytes.writeDoubleLE(milliseconds, DELAY);
      // Do not truncate the file: the service could read it while it is empty.
      writeFileSync(file, bytes, { flag: 'r+' });
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
