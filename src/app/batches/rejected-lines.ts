/** What is wrong with a line of a file. */
export interface LineFault {
  /** The parameter that it is wrong with; null where it is the line as a whole. */
  parameter: string | null;
  /** 'must be …', 'is …': what follows the name. */
  reason: string;
}
export interface RejectedLine {
  line: number;
  faults: readonly LineFault[];
}

export const EXISTS: LineFault = { parameter: 'license_key', reason: 'exists already.' };
export const REPEATED: LineFault = { parameter: 'license_key', reason: 'stands in an earlier line too.' };

/** What is wrong with a line, by the names of parameters. */
export const faultsInWords = (faults: readonly LineFault[]): string =>
  faults.map(({ parameter, reason }) => (parameter === null ? reason : `${parameter} ${reason}`)).join(' ');

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
      const words = faultsInWords(some);
      let why = places.get(words);
      if (why === undefined) {
        why = faults.push(some) - 1;
        places.set(words, why);
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
