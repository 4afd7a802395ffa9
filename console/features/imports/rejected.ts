import type { Reason } from '../../client/reasons.ts';

/** What is wrong with a line, or with a parameter of it. */
export interface LineFault extends Reason {
  parameter: string | null;
}
/** As the server tells of some of them. */
export interface RejectedPart {
  faults: LineFault[][];
  lines: [line: number, why: number][];
}
/** Lines that cannot be imported, by line. There may be a million of them: what is wrong with many is there once. */
export interface Rejected {
  total: number;
  /** @param i of them, from 0 */
  at(i: number): { line: number; faults: readonly LineFault[] };
}

export function gatherRejected() {
  const faults: LineFault[][] = [];
  const lines: [number, number][] = [];
  return {
    add(part: RejectedPart): void {
      faults.push(...part.faults);
      for (const line of part.lines) lines.push(line);
    },
    all: (): Rejected => ({
      total: lines.length,
      at(i) {
        const [line, why] = lines[i] as [number, number];
        return { line, faults: faults[why] ?? [] };
      },
    }),
  };
}
