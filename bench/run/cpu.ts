import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds that all threads of a process have spent on the processor so far, by the scheduler's own count. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  }
  return nanoseconds / 1_000;
}

/** Resident memory in MiB: now, and the most that it ever was. */
export function memory(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: Math.round(kib('VmRSS') / 1024), most: Math.round(kib('VmHWM') / 1024) };
}
