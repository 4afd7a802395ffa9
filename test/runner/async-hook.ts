import { type AsyncHook, createHook } from 'node:async_hooks';
import { after } from 'node:test';

/**
 * The hook by which the test runner of this process learns which test some code belongs to. It sees every promise that is
 * made and freed, which takes a fifth of the processor time of a run, and it is needed only where a file declares tests
 * (`queue.ts`). Node.js gives it to nobody; undefined if this version has none.
 */
export const hookOfTestRunner: AsyncHook | undefined = capture();

/** The test runner enables its hook when it is used first: this module must be imported before anything that declares. */
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
