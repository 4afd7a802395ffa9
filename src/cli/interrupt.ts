import { type ExitCode, Failure } from './failure.ts';
import type { Run } from './run.ts';

const CODES = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitCode>;
type Stop = keyof typeof CODES;

/**
 * Runs a long job. The first signal aborts it in order, through `signal`; a second one ends the process at once.
 * @param nothing what to say when it was interrupted: what has not happened
 */
export async function interruptible<T>(
  { io }: Run,
  nothing: string,
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (name: Stop) => {
    if (signal.aborted) io.exit(CODES[name]);
    controller.abort(new Failure(CODES[name], 'interrupted', `Interrupted: ${nothing}.`));
  };
  io.on('SIGINT', stop);
  io.on('SIGTERM', stop);
  try {
    return await job(signal);
  } catch (error) {
    // A stream that the signal ended fails with an error of its own.
    throw signal.aborted ? signal.reason : error;
  } finally {
    io.off('SIGINT', stop);
    io.off('SIGTERM', stop);
  }
}
