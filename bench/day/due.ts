const NONE = -1;

/**
 * Clients by the time of their next request: a linked list for each time step, so that adding and taking clients is
 * cheap.
 */
export class Due {
  readonly #next: Int32Array;
  readonly #first: number[] = [];
  /** Clients in all lists. */
  size = 0;

  constructor(clients: number) {
    this.#next = new Int32Array(clients);
  }

  add(client: number, step: number): void {
    while (this.#first.length <= step) this.#first.push(NONE);
    this.#next[client] = this.#first[step] as number;
    this.#first[step] = client;
    this.size++;
  }

  /** Removes the clients of a step, and returns them. */
  take(step: number): number[] {
    const clients: number[] = [];
    for (let one = this.#first[step] ?? NONE; one !== NONE; one = this.#next[one] as number)
      clients.push(one);
    this.#first[step] = NONE;
    this.size -= clients.length;
    return clients;
  }
}
