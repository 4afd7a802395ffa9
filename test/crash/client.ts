import type { Random } from '../support/faults/random.ts';
import type { Answer, Api, CallOptions } from '../support/http/api.ts';
import { pause } from '../support/postgres/cluster.ts';
import { count, type Journal, type Tracked } from './journal.ts';
import { operate } from './operations.ts';

/** Milliseconds that a client waits after it was not served. */
const AGAIN_MS = 20;
/** Whatever is killed, every request ends within these milliseconds. */
const ENDED_MS = 60_000;

/** Where and by whom operations are done, and written down. */
export interface Client {
  /** The number of its belongings in the journal. */
  number: number;
  api: Api;
  journal: Journal;
  random: Random;
  /** Counts an operation, and tells of an answer that was never to come. @param refusals codes that are right */
  call(kind: string, request: Request_, refusals?: readonly string[]): Promise<Answer | null>;
  /** Has an operation count as being under way. */
  during<T>(kind: string, operation: Promise<T>): Promise<T>;
  /**
   * Changes a record, and writes down what it may be from then on.
   * @returns the answer where it is done; null where it is refused, or nobody knows
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

/** Several clients at work at once. */
export interface Load {
  /** How many operations of a kind are under way. */
  underWay(kind: string): number;
  /** Has them begin nothing new. */
  end(): void;
  /** The same, and waits for what is under way. @throws Error when that takes too long */
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
      await pause(AGAIN_MS);
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
  // Told of by ended().
  all.catch(() => {});

  return {
    underWay: (kind) => underWay.get(kind) ?? 0,
    end() {
      isOver = true;
    },
    async ended() {
      isOver = true;
      const inTime = await Promise.race([all.then(() => true), pause(ENDED_MS).then(() => false)]);
      if (inTime) return;
      const hanging = [...underWay].filter(([, many]) => many > 0);
      throw new Error(`not ended after ${ENDED_MS} ms: ${JSON.stringify(hanging)}`);
    },
  };
}
