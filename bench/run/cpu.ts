import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds that all threads of a process have spent on the processor so far, by the scheduler's own count. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const task of listed(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]);
  }
  return nanoseconds / 1_000;
}

export const cpuOfEach = (pids: readonly number[]): Map<number, number> =>
  new Map(pids.map((pid) => [pid, cpuMicroseconds(pid)]));

/** What processes have spent since, those included that have begun since; what has ended is not known any more. */
export const cpuSince = (before: ReadonlyMap<number, number>, pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + cpuMicroseconds(pid) - (before.get(pid) ?? 0), 0);

/** Resident memory in MiB: now, and the most that it ever was. */
export function memory(pid: number): { now: number; most: number } {
  const status = read(`/proc/${pid}/status`);
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: Math.round(kib('VmRSS') / 1024), most: Math.round(kib('VmHWM') / 1024) };
}

/** The process that started this one; null where there is none by that number and name. */
export function parentOf(pid: number, name: string): number | null {
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const [, found, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  return found === name ? Number(parent) : null;
}

/** Those that a process has started, by their name. */
export function childrenOf(parent: number, name: string): number[] {
  const pids = listed('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => parentOf(pid, name) === parent);
}

/** What ends while it is looked at has nothing to tell. */
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
