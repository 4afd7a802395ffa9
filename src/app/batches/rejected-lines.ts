import { type Problem, problem } from '../../domain/problem.ts';

/** What is wrong with a line of a file. */
export interface LineFault {
  /** Null where the line as a whole is wrong. */
  field: string | null;
  problem: Problem;
}
export interface RejectedLine {
  line: number;
  faults: readonly LineFault[];
}

export const EXISTS: LineFault = { field: 'licenseKey', problem: problem('key_exists') };
export const REPEATED: LineFault = { field: 'licenseKey', problem: problem('key_repeated') };

/** Lines on the way out at once. */
const AT_ONCE = 10_000;

/** Some of the lines that are rejected. */
export interface RejectedPart {
  /** What is wrong with lines, each once; only in the first part. */
  faults: readonly (readonly LineFault[])[];
  /** The number of a line, and the place among the faults of what is wrong with it. */
  lines: [line: number, why: number][];
}

/** Gathers rejected lines, of which there may be a million: what is wrong with many is held once. */
export function gatherRejected() {
  const faults: (readonly LineFault[])[] = [];
  const places = new Map<string, number>();
  const lines: number[] = [];
  const whys: number[] = [];
  return {
    add({ line, faults: some }: RejectedLine): void {
      const same = JSON.stringify(some);
      let why = places.get(same);
      if (why === undefined) {
        why = faults.push(some) - 1;
        places.set(same, why);
      }
      lines.push(line);
      whys.push(why);
    },
    total: (): number => lines.length,
    *parts(): Generator<RejectedPart> {
      for (let at = 0; at < lines.length; at += AT_ONCE)
        yield {
          faults: at === 0 ? faults : [],
          lines: lines.slice(at, at + AT_ONCE).map((line, i) => [line, whys[at + i] as number]),
        };
    },
  };
}
export type Rejected = ReturnType<typeof gatherRejected>;
