import type { Random } from '../support/faults/random.ts';
import type { Answer, Api, CallOptions } from '../support/http/api.ts';
import { pause } from '../support/postgres/cluster.ts';
import { count, type Journal, type Tracked } from './journal.ts';
import { operate } from './operations.ts';

/** Milliseconds that a client waits before it retries. */
const RETRY_MS = 20;
/** Milliseconds within which every request ends, whatever is killed. */
const END_TIMEOUT_MS = 60_000;

/** What an operation needs: the client's records, the API and the journal. */
export interface Client {
  /** Index of the client's records in the journal. */
  number: number;
  api: Api;
  journal: Journal;
  random: Random;
  /**
   * Sends a request and counts the operation. An unexpected answer is a fault.
   * @param refusals expected error codes
   */
  call(kind: string, request: Request_, refusals?: readonly string[]): Promise<Answer | null>;
  /** Counts an operation as under way until it ends. */
  during<T>(kind: string, operation: Promise<T>): Promise<T>;
  /**
   * Changes a record, and notes in the journal which states it may have from then on.
   * @returns the answer if it is 200, else null: the change was refused, or its outcome is unknown
   */
  change<State>(
    kind: string,
    record: Tracked<State>,
    next: State | null,
    request: Request_,
    refusals?: readonly string[],
  ): Promise<Answer | null>;
}
export type Request_ = [method: string, path: string, options?: CallOptions];

/** Several clients that work concurrently. */
export interface Load {
  /** Returns how many operations of a kind are under way. */
  underWay(kind: string): number;
  /** Stops new operations. */
  end(): void;
  /** Stops new operations and waits for those under way. @throws Error if that takes too long */
  ended(): Promise<void>;
}

export function startLoad(api: Api, journal: Journal, random: Random): Load {
  const underWay = new Map<string, number>();
  const add = (kind: string, by: number) => underWay.set(kind, (underWay.get(kind) ?? 0) + by);
  let isOver = false;

  const during: Client['during'] = (kind, operation) => {
    add(kind, 1);
    return operation.finally(() => add(kind, -1));
  };
  const call: Client['call'] = async (kind, [method, path, options], refusals = []) => {
    const answer = await during(
      kind,
      api.call(method, path, options).catch(() => null),
    );
    if (answer === null || answer.status === 503) {
      count(journal, kind, answer ? 'unavailable' : 'unanswered');
      await pause(RETRY_MS);
      return null;
    }
    count(journal, kind, answer.status === 200 ? 'done' : 'refused');
    if (answer.status !== 200 && !refusals.includes(answer.body.code))
      journal.faults.push(
        `${kind}: ${method} ${path} was answered ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    return answer;
  };
  const change: Client['change'] = async (kind, record, next, request, refusals) => {
    const [now = null] = record.possible;
    record.possible = [now, next];
    journal.touched.add(record);
    const answer = await call(kind, request, refusals);
    if (answer) record.possible = [answer.status === 200 ? next : now];
    return answer?.status === 200 ? answer : null;
  };

  const works = journal.clients.map(async (_, number) => {
    const client: Client = { number, api, journal, random, call, during, change };
    while (!isOver) await operate(client);
  });
  const all = Promise.all(works);
  // ended() reports the error.
  all.catch(() => {});

  return {
    underWay: (kind) => underWay.get(kind) ?? 0,
    end() {
      isOver = true;
    },
    async ended() {
      isOver = true;
      const inTime = await Promise.race([all.then(() => true), pause(END_TIMEOUT_MS).then(() => false)]);
      if (inTime) return;
      const hanging = [...underWay].filter(([, many]) => many > 0);
      throw new Error(`requests still under way after ${END_TIMEOUT_MS} ms: ${JSON.stringify(hanging)}`);
    },
  };
}
