import type { Reads } from '../store.ts';
import { UnknownSealingKey } from './keyring.ts';

/** Looks every so many milliseconds whether other keys are to be held. What fails is tried the next time. */
export function lookNowAndThen(look: () => Promise<void>, ms: number): { end(): void } {
  const timer = setInterval(() => void look().catch(() => {}), ms);
  timer.unref();
  return { end: () => clearInterval(timer) };
}

/** Reads that look, and read once more, where a license key rests under a key that is not held yet. */
export function lookingAgain(reads: Reads, look: () => Promise<void>): Reads {
  const again =
    <A extends unknown[], R>(read: (...asked: A) => Promise<R>) =>
    (...asked: A): Promise<R> =>
      read(...asked).catch(async (error) => {
        if (!(error instanceof UnknownSealingKey)) throw error;
        await look();
        return read(...asked);
      });
  const { licenses, activations, reports } = reads;
  return {
    ...reads,
    licenses: {
      ...licenses,
      find: again(licenses.find),
      findWithActivations: again(licenses.findWithActivations),
      list: again(licenses.list),
      after: again(licenses.after),
      search: again(licenses.search),
    },
    activations: {
      ...activations,
      findByToken: again(activations.findByToken),
      find: again(activations.find),
      search: again(activations.search),
    },
    reports: { ...reports, expiring: again(reports.expiring) },
  };
}
