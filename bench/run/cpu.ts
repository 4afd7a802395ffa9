import { readdirSync, readFileSync } from 'node:fs';

/** Returns the microseconds of processor time that all threads of a process have used, as the scheduler counts them. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const task of listed(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]);
  }
  return nanoseconds / 1_000;
}

export const cpuOfEach = (pids: readonly number[]): Map<number, number> =>
  new Map(pids.map((pid) => [pid, cpuMicroseconds(pid)]));

/** Returns the microseconds that processes have used since `before`. New processes count; ended ones do not. */
export const cpuSince = (before: ReadonlyMap<number, number>, pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + cpuMicroseconds(pid) - (before.get(pid) ?? 0), 0);

/** Returns the resident memory in MiB: now, and at its highest. */
export function memory(pid: number): { now: number; most: number } {
  const status = read(`/proc/${pid}/status`);
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: Math.round(kib('VmRSS') / 1024), most: Math.round(kib('VmHWM') / 1024) };
}

/** Returns the parent of a process; null if no process has that id and name. */
export function parentOf(pid: number, name: string): number | null {
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const [, found, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  return found === name ? Number(parent) : null;
}

/** Returns the children of a process that have a name. */
export function childrenOf(parent: number, name: string): number[] {
  const pids = listed('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => parentOf(pid, name) === parent);
}

/** Returns an empty text if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
