import { useConfirm } from './confirm.tsx';
import { doneToast, errorToast } from './toasts.tsx';

interface Deletion {
  /** The question, and the label of the button that confirms it. */
  title: string;
  body: string;
  action: string;
  run: () => Promise<unknown>;
  /** The message to show afterwards. */
  done: string;
}

/** Returns a function that asks, deletes, and shows the result or the error. It never rejects. */
export function useDeletion(): (deletion: Deletion) => Promise<void> {
  const confirm = useConfirm();
  return async ({ run, done, ...question }) => {
    if (await confirm({ ...question, isDangerous: true }))
      await run().then(() => doneToast(done), errorToast);
  };
}
