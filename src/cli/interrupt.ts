import { onSignals } from '../server/signals.ts';
import { type ExitCode, Failure } from './failure.ts';
import { endProgress } from './progress.ts';
import type { Run } from './run.ts';

const CODES = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitCode>;
type Stop = keyof typeof CODES;

/**
 * Runs a long job. The first signal (SIGINT or SIGTERM) aborts it through `signal`; a later one exits at once.
 * @param outcome completes the message "Interrupted: …", for example "nothing was imported"
 */
export async function interruptible<T>(
  run: Run,
  outcome: string,
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { io } = run;
  const controller = new AbortController();
  const { signal } = controller;
  const stop = onSignals(
    (name: Stop) => controller.abort(new Failure(CODES[name], 'interrupted', `Interrupted: ${outcome}.`)),
    (name) => io.exit(CODES[name]),
  );
  io.on('SIGINT', stop);
  io.on('SIGTERM', stop);
  try {
    return await job(signal);
  } catch (error) {
    // A stream that the signal aborts throws its own error.
    throw signal.aborted ? signal.reason : error;
  } finally {
    endProgress(run);
    // After a signal, go on listening: its repeat must not end the process before the message is printed.
    if (!signal.aborted) {
      io.off('SIGINT', stop);
      io.off('SIGTERM', stop);
    }
  }
}
