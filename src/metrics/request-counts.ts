import { addTo, createTally, type Tally } from './tally.ts';

/** Seconds. A validate takes less than a millisecond, a change waits for the disk, and an upload takes minutes. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** The answers of one route. */
export class RouteCounts {
  readonly method: string;
  readonly route: string;
  /** The number of answers by HTTP status. */
  readonly statuses = new Map<number, number>();
  readonly seconds: Tally = createTally(SECONDS);

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  /** Counts an answer. Called for every answer, so it must be fast. */
  count(status: number, milliseconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    addTo(this.seconds, milliseconds / 1_000);
  }
}

/**
 * Counts requests by route pattern, and refusals by code, so that the number of labels stays small whatever clients send.
 */
export class RequestCounts {
  readonly #routes: RouteCounts[] = [];
  readonly refusals = new Map<string, number>();
  /** Counts requests that match no route. */
  readonly unknown = this.ofRoute('any', 'unknown');

  ofRoute(method: string, route: string): RouteCounts {
    const counts = new RouteCounts(method, route);
    this.#routes.push(counts);
    return counts;
  }

  refused(code: string): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }

  /** The routes that have answered. */
  get routes(): RouteCounts[] {
    return this.#routes.filter(({ statuses }) => statuses.size > 0);
  }
}
