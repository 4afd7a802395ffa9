import type { Reason } from '../../client/reasons.ts';

/** An error of a line or of one of its fields. */
export interface LineFault extends Reason {
  parameter: string | null;
}
/** A batch of rejected lines from the server. */
export interface RejectedPart {
  faults: LineFault[][];
  lines: [line: number, why: number][];
}
/** The rejected lines. There may be a million, so equal reasons are stored once. */
export interface Rejected {
  total: number;
  /** @param i index, starting at 0 */
  at(i: number): { line: number; faults: readonly LineFault[] };
}

export function collectRejected() {
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
