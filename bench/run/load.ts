import type { Connection, Request } from './connection.ts';

/** The requests of a load. */
export interface Questions {
  /** Returns the next request; null ends the turn. */
  next(): Request | null;
  /** Called with each 2xx answer. */
  onAnswer?(text: string, request: Request): void;
  /** Requests with this prefix are also timed separately. */
  timedApart?: string;
}

export interface Measured {
  requests: number;
  /** Answers other than 2xx. */
  failed: number;
  /** The first failed answer, shortened. */
  failure: string | null;
  seconds: number;
  /** Milliseconds, sorted. */
  times: number[];
  timesApart: number[];
}

/** Sends requests over each connection for some seconds, each as soon as the previous one is answered. */
export function load(
  connections: readonly Connection[],
  seconds: number,
  { next, onAnswer, timedApart }: Questions,
): Promise<Measured> {
  const [times, timesApart]: [number[], number[]] = [[], []];
  let failed = 0;
  let failure: string | null = null;
  let busy = connections.length;
  const start = performance.now();
  let end = start + seconds * 1_000;
  return new Promise((resolve, reject) => {
    const finish = () => {
      const took = (performance.now() - start) / 1_000;
      for (const measured of [times, timesApart]) measured.sort((a, b) => a - b);
      resolve({ requests: times.length, failed, failure, seconds: took, times, timesApart });
    };
    for (const connection of connections) {
      let request: Request | null;
      let sent: number;
      const ask = (now: number) => {
        request = now < end ? next() : null;
        if (request === null) {
          end = 0;
          if (--busy === 0) finish();
          return;
        }
        sent = now;
        connection.send(request);
      };
      connection.onBroken = reject;
      connection.onAnswer = (status, text) => {
        const now = performance.now();
        times.push(now - sent);
        if (timedApart && request?.startsWith(timedApart)) timesApart.push(now - sent);
        if (status < 200 || status > 299) {
          failed++;
          failure ??= `${request?.split('\r\n')[0]} was answered with ${text.slice(0, 12)}… ${text.slice(-200)}`;
        } else onAnswer?.(text, request as Request);
        ask(now);
      };
      ask(performance.now());
    }
  });
}

/** Returns a quantile of sorted numbers. */
export const quantile = (times: readonly number[], part: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
