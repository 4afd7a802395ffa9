import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a service must be started with to be probed, and what can be learnt of it then. */
export interface Probe {
  nodeFlags: string[];
  settings: Record<string, string>;
  /** So far. */
  commits(): number;
  /** From now on, before each commit. */
  delayCommits(milliseconds: number): void;
  remove(): void;
}

/** Bytes of the file: how many commits there were, and milliseconds of delay, both as numbers of 8 bytes. */
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
      // Not truncated first, which the service could read.
      writeFileSync(file, bytes, { flag: 'r+' });
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
