import { after } from 'node:test';

const closings: (() => Promise<void>)[] = [];

// Belongs to what imports this module first: a test file alone, or the queue of many.
after(async () => {
  for (const close of closings) await close();
});

/** Calls it after the last test of this process, for what several test files share. */
export const closeAtTheEnd = (close: () => Promise<void>): void => void closings.push(close);
