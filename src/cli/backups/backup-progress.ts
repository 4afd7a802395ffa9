import type { OnProgress } from '../../app/backups/back-up.ts';
import { createProgress, type Progress } from '../progress.ts';
import type { Run } from '../run.ts';

/** A bar for each thing that is done, one after the other. */
export function createProgresses({ io }: Run): { update: OnProgress; end(): void } {
  let bar: { what: string; progress: Progress } | null = null;
  const end = () => {
    bar?.progress.end();
    bar = null;
  };
  return {
    update(what, done, total) {
      if (bar?.what !== what) {
        end();
        bar = { what, progress: createProgress(what, io.stderr) };
      }
      bar.progress.update(total === 0 ? 1 : done / total, done);
    },
    end,
  };
}
