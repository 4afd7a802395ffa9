import type { Watched } from '../../app/backups/rows.ts';
import { interruptible } from '../interrupt.ts';
import { createProgress } from '../progress.ts';
import type { Run } from '../run.ts';

/**
 * Runs a job that copies. Shows its progress on the terminal, and aborts it at the first signal.
 * @param outcome completes the message "Interrupted: …"
 */
export const watched = <T>(run: Run, outcome: string, job: (watched: Watched) => Promise<T>): Promise<T> =>
  interruptible(run, outcome, async (signal) => {
    const counts = { rows: 0, 'bytes of files': 0 };
    const bars = {
      rows: createProgress('rows', run.io.stderr),
      'bytes of files': createProgress('bytes of files', run.io.stderr),
    };
    try {
      return await job({
        signal,
        onProgress(what, amount) {
          counts[what] += amount;
          bars[what].update(null, counts[what]);
        },
      });
    } finally {
      for (const bar of Object.values(bars)) bar.end();
    }
  });
