import { after } from 'node:test';

const closings: (() => Promise<void>)[] = [];
let isLeftToQueue = false;

/** Calls it after the last test of this process, for what several test files share. */
export const closeAtTheEnd = (close: () => Promise<void>): void => void closings.push(close);

/** Closes what the test files of this process have shared. */
export async function closeShared(): Promise<void> {
  for (const close of closings.splice(0)) await close();
}

/** Says that the caller runs several test files, and calls `closeShared` after the last one. */
export function leaveToQueue(): void {
  isLeftToQueue = true;
}

after(() => (isLeftToQueue ? undefined : closeShared()));
