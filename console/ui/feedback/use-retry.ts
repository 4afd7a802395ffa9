import { useEffect, useRef } from 'react';
import { API_ROOT } from '../../client/base.ts';
import { ApiError, NetworkError } from '../../client/errors.ts';

/** Milliseconds between two checks whether the server is reachable again. */
const PAUSE_MS = 3_000;

/** Whether the error means that the server, or something it depends on, is unavailable for the moment. */
const isAway = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && error.status >= 502);

const isBack = (): Promise<boolean> =>
  fetch(`${API_ROOT}/session`, { cache: 'no-store', signal: AbortSignal.timeout(PAUSE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Calls `retry` as soon as the server is reachable again, if the error says that it was not. */
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
