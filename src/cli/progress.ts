import { grouped } from './table.ts';

const REDRAW_MS = 100;
const BAR = 30;

export interface Progress {
  /** @param part of the whole, 0 to 1; null where the whole is not known */
  update(part: number | null, count: number): void;
  /** Takes the bar off the screen. */
  end(): void;
}

/** A bar that shows how far something is; nothing where nobody looks at a terminal. */
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
      to.write(`\r\x1b[K${part === null ? '' : bar(part)}${grouped(count)} ${what}`);
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
