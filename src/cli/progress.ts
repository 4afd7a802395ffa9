import type { Run } from './run.ts';
import { grouped } from './table.ts';

const REDRAW_MS = 100;
const BAR = 30;

/**
 * Draws on a terminal how far a job is. The next output of the command, or the end of `interruptible`, removes it.
 * @param what names what is counted
 * @param part the fraction that is done, 0 to 1; null if the total is unknown
 * @param count the number that is done; null if it is unknown
 */
export function showProgress(run: Run, what: string, part: number | null, count: number | null): void {
  const { stderr } = run.io;
  const now = performance.now();
  if (!stderr.isTTY || (run.drawnAt && now - run.drawnAt < REDRAW_MS)) return;
  run.drawnAt = now;
  const done = count === null ? '' : `${grouped(count)} ${what}`;
  stderr.write(`\r\x1b[K${part === null ? '' : bar(part)}${done}`);
}

export function endProgress(run: Run): void {
  if (run.drawnAt) run.io.stderr.write('\r\x1b[K');
  run.drawnAt = 0;
}

function bar(part: number): string {
  const within = Math.min(1, Math.max(0, part));
  const filled = Math.round(within * BAR);
  const percent = String(Math.floor(within * 100)).padStart(3);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${percent} %  `;
}
