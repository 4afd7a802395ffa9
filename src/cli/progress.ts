import { grouped } from './table.ts';

const REDRAW_MS = 100;
const BAR = 30;

export interface Progress {
  /**
   * @param part the fraction that is done, 0 to 1; null if the total is unknown
   * @param count the number that is done; null if it is unknown
   */
  update(part: number | null, count: number | null): void;
  /** Removes the bar from the screen. */
  end(): void;
}

/** Creates a progress bar, which does nothing if the stream is not a terminal. */
export function createProgress(
  what: string,
  to: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean },
): Progress {
  if (!to.isTTY) return { update: () => {}, end: () => {} };
  let drawn = 0;
  return {
    update(part, count) {
      const now = performance.now();
      if (drawn > 0 && now - drawn < REDRAW_MS) return;
      drawn = now;
      const done = count === null ? '' : `${grouped(count)} ${what}`;
      to.write(`\r\x1b[K${part === null ? '' : bar(part)}${done}`);
    },
    end() {
      if (drawn > 0) to.write('\r\x1b[K');
      drawn = 0;
    },
  };
}

function bar(part: number): string {
  const within = Math.min(1, Math.max(0, part));
  const filled = Math.round(within * BAR);
  const percent = String(Math.floor(within * 100)).padStart(3);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${percent} %  `;
}
