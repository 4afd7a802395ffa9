import { useEffect, useRef } from 'react';
import { API_ROOT } from '../../client/base.ts';
import { ApiError, NetworkError } from '../../client/errors.ts';

/** Milliseconds between two questions whether the server is back. */
const PAUSE_MS = 3_000;

/** Whether an error says that the server, or what it needs, is away for now. */
const isAway = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && error.status >= 502);

const isBack = (): Promise<boolean> =>
  fetch(`${API_ROOT}/session`, { cache: 'no-store', signal: AbortSignal.timeout(PAUSE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Retries when the server is back, if the error says that it is away. */
export function useRetry(error: unknown, retry: (() => void) | undefined): void {
  const latest = useRef(retry);
  useEffect(() => {
    latest.current = retry;
  });
  const isWaiting = retry !== undefined && isAway(error);
  useEffect(() => {
    if (!isWaiting) return;
    let isOver = false;
    const ask = async () => {
      if (document.hidden || !(await isBack()) || isOver) return;
      latest.current?.();
    };
    const timer = setInterval(() => void ask(), PAUSE_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isWaiting]);
}
