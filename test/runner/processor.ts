import { readdirSync, readFileSync } from 'node:fs';

/** Units of processor time per second in `/proc`. */
const TICKS = 100;

/**
 * Returns the seconds of processor time that this process has used, with its threads and the processes below it. An ended
 * process counts once its parent has waited for it. On other systems than Linux, processes do not count.
 */
export function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const running = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const found = read(name);
        return found ? [[Number(name), found]] : [];
      }),
  );
  const isOurs = (pid: number): boolean => {
    if (pid === process.pid) return true;
    const parent = running.get(pid)?.parent;
    return parent !== undefined && isOurs(parent);
  };
  let ticks = 0;
  for (const [pid, one] of running) if (isOurs(pid)) ticks += one.ticks;
  return ticks / TICKS;
}

/** Reads about a process; null if it has ended. */
function read(pid: string): { parent: number; ticks: number } | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name precedes these fields, in parentheses, and may contain spaces.
    const [, parent, ...fields] = line.slice(line.lastIndexOf(')') + 2).split(' ');
    // utime, stime, cutime and cstime of proc(5).
    const times = fields.slice(9, 13).map(Number);
    return { parent: Number(parent), ticks: times.reduce((sum, time) => sum + time, 0) };
  } catch {
    return null;
  }
}
