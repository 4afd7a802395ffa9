/** Counts kills and comparisons for the summary. */
export interface Tally {
  killed(what: string): void;
  compared(what: string, many: number): void;
  /** Returns the counts of kills in words. */
  kills(): string;
  comparisons(): string;
}

export function createTally(): Tally {
  const [kills, comparisons] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, what: string, many: number) =>
    to.set(what, (to.get(what) ?? 0) + many);
  const words = (counts: Map<string, number>) =>
    [...counts].map(([what, many]) => `${many} × ${what}`).join(', ');
  return {
    killed: (what) => void add(kills, what, 1),
    compared: (what, many) => void add(comparisons, what, many),
    kills: () => words(kills),
    comparisons: () => words(comparisons),
  };
}
