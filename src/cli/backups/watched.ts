import type { Watched } from '../../app/backups/rows.ts';
import { interruptible } from '../interrupt.ts';
import { showProgress } from '../progress.ts';
import type { Run } from '../run.ts';

/**
 * Runs a job that copies. Shows its progress on the terminal, and aborts it at the first signal.
 * @param outcome completes the message "Interrupted: …"
 */
export const watched = <T>(run: Run, outcome: string, job: (watched: Watched) => Promise<T>): Promise<T> =>
  interruptible(run, outcome, (signal) => {
    const counts = { rows: 0, 'bytes of files': 0 };
    return job({
      signal,
      onProgress(what, amount) {
        counts[what] += amount;
        showProgress(run, what, null, counts[what]);
      },
    });
  });
