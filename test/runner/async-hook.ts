import { type AsyncHook, createHook } from 'node:async_hooks';
import { after } from 'node:test';

/**
 * The hook with which this process's test runner finds out which test some code belongs to. It runs for every promise
 * that is created or freed, which takes a fifth of the processor time of in-process tests. It is needed only while a
 * file declares its tests (`queue.ts`). Node.js does not export it; undefined if this version of Node.js has no such
 * hook.
 */
export const hookOfTestRunner: AsyncHook | undefined = capture();

/** The test runner enables its hook at its first use, so this module must be imported before any test is declared. */
function capture(): AsyncHook | undefined {
  const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook;
  const { enable } = prototype;
  let hook: AsyncHook | undefined;
  prototype.enable = function () {
    hook = this;
    return enable.call(this);
  };
  after(() => {});
  prototype.enable = enable;
  return hook;
}
