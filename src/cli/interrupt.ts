import { type ExitCode, Failure } from './failure.ts';

const CODES = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitCode>;
type Stop = keyof typeof CODES;

/**
 * Runs something long that the first signal ends in order, through `signal`, and a second one at once.
 * @param nothing what to say then: what has not happened
 */
export async function interruptible<T>(
  nothing: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (name: Stop) => {
    if (signal.aborted) process.exit(CODES[name]);
    controller.abort(new Failure(CODES[name], 'interrupted', `Interrupted: ${nothing}.`));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await run(signal);
  } catch (error) {
    // A stream that was ended by the signal fails with an error of its own.
    throw signal.aborted ? signal.reason : error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
