/**
 * Wraps work so that it runs at most once at a time: with a slow database, runs would pile up. Meanwhile, callers share the
 * result of the run.
 */
export function oneAtATime<T>(work: () => Promise<T>): { start(): Promise<T>; running(): Promise<T> | null } {
  let current: Promise<T> | null = null;
  return {
    start() {
      current ??= work().finally(() => {
        current = null;
      });
      return current;
    },
    running: () => current,
  };
}
