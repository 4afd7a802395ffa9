import { type Problem, problem } from '../../domain/problem.ts';

export interface LineFault {
  /** The parameter at fault; null for a problem with the whole line. */
  field: string | null;
  problem: Problem;
}
export interface RejectedLine {
  line: number;
  faults: readonly LineFault[];
}

export const EXISTS: LineFault = { field: 'licenseKey', problem: problem('key_exists') };
export const REPEATED: LineFault = { field: 'licenseKey', problem: problem('key_repeated') };

/** Lines in each part of an answer. */
const AT_ONCE = 10_000;

/** Some of the rejected lines. */
export interface RejectedPart {
  /** The distinct faults of all lines; only in the first part. */
  faults: readonly (readonly LineFault[])[];
  /** Line numbers, and indexes into the faults. */
  lines: [line: number, why: number][];
}

/** Collects up to a million rejected lines. Stores a fault that many lines share only once. */
export function collectRejected() {
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
export type Rejected = ReturnType<typeof collectRejected>;
