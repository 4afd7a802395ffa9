import { useEffect, useRef, useState } from 'react';

/** Runs work that the user can stop. Leaving the page stops it, too. */
export function useWork() {
  const running = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);

  /** Resolves to the result or the error; to neither if the user stopped. */
  async function run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<{ done?: T; error?: unknown }> {
    stop();
    const mine = new AbortController();
    running.current = mine;
    setRunning(true);
    setError(null);
    try {
      return { done: await work(mine.signal) };
    } catch (failed) {
      if (mine.signal.aborted) return {};
      setError(failed);
      return { error: failed };
    } finally {
      if (running.current === mine) setRunning(false);
    }
  }
  return { run, stop, isRunning, error, clearError: () => setError(null) };
}
