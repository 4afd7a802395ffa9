import { after } from 'node:test';

const closings: (() => Promise<void>)[] = [];
let isLeftToQueue = false;

/** Calls a function after the last test of this process, to close what several test files share. */
export const closeAtTheEnd = (close: () => Promise<void>): void => void closings.push(close);

/** Closes what the test files of this process share. */
export async function closeShared(): Promise<void> {
  for (const close of closings.splice(0)) await close();
}

/** Leaves it to the caller to call `closeShared`, after the last of several test files. */
export function leaveToQueue(): void {
  isLeftToQueue = true;
}

after(() => (isLeftToQueue ? undefined : closeShared()));
