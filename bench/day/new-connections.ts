import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Request } from '../run/connection.ts';
import { quantile } from '../run/load.ts';

/**
 * What clients saw that open a connection for a single request, and arrive at a fixed rate whatever happens to the
 * others.
 */
export interface NewConnections {
  sent: number;
  /** By status, or by the error that came instead of an answer. */
  outcomes: Record<string, number>;
  p50: number;
  p99: number;
  /** Seconds from the first request until the last one was answered or failed. */
  took: number;
}

/** Local addresses of the connections: one address does not have enough ports. */
const ADDRESSES = 200;
/** Sockets that this process may have open, below the usual limit of 20,000. */
const OPEN_MAX = 15_000;

/** @param rate requests per second @param timeout milliseconds until a client gives up */
export async function newConnections(
  port: number,
  { rate, seconds, timeout, next }: { rate: number; seconds: number; timeout: number; next: () => Request },
): Promise<NewConnections> {
  const outcomes: Record<string, number> = {};
  const times: number[] = [];
  let [sent, open] = [0, 0];
  const begun = performance.now();
  const one = () => {
    const since = performance.now();
    const localAddress = `127.0.1.${1 + (sent++ % ADDRESSES)}`;
    open++;
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    let text = '';
    const end = (what: string) => {
      clearTimeout(timer);
      if (socket.listenerCount('data') === 0) return;
      socket.removeAllListeners('data');
      outcomes[what] = (outcomes[what] ?? 0) + 1;
      if (/^\d+$/.test(what)) times.push(performance.now() - since);
      open--;
      socket.resetAndDestroy();
    };
    const timer = setTimeout(end, timeout, 'no answer');
    socket
      .once('connect', () => socket.write(next(), 'latin1'))
      .on('data', (bytes) => {
        text += bytes.toString('latin1', 0, 12);
        if (text.length >= 12) end(text.slice(9, 12));
      })
      .on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      .on('close', () => end('closed'));
  };
  for (let elapsed = 0; elapsed < seconds || open > 0; elapsed = (performance.now() - begun) / 1_000) {
    const until = Math.min(elapsed, seconds) * rate;
    while (sent < until && open < OPEN_MAX) one();
    await pause(1);
  }
  times.sort((a, b) => a - b);
  const took = (performance.now() - begun) / 1_000;
  return { sent, outcomes, p50: quantile(times, 0.5), p99: quantile(times, 0.99), took };
}
