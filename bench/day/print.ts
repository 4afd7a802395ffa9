import type { Seen } from './storm.ts';

type Cells = readonly string[];

/** Formats rows as a Markdown table. The first row has the headings. */
export function table([head = [], ...rows]: readonly Cells[]): string {
  const line = (cells: Cells) => `| ${cells.join(' | ')} |\n`;
  return [line(head), `|${'---|'.repeat(head.length)}\n`, ...rows.map(line)].join('');
}

export const part = (n: number): string => `${(n * 100).toFixed(n > 0 && n < 0.1 ? 1 : 0)} %`;
export const whole = (n: number): string => Math.round(n).toLocaleString('en');
export const ms = (seconds: number): string => `${(seconds * 1_000).toFixed(seconds < 0.01 ? 2 : 0)} ms`;
export function time(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
/** Formats a number in millions or billions, with two significant digits. */
export function about(n: number): string {
  const [unit, name] = n < 9.95e8 ? [1e6, 'million'] : [1e9, 'billion'];
  return `${Number((n / unit).toPrecision(2))} ${name}`;
}

/** The headings of `seenAs`, which formats what clients saw. */
export const SEEN: Cells = [
  ...['answered at the first try', 'p99 of answers', 'half served after', '99 %', 'all', 'attempts of each'],
];
export const seenAs = ({ first, p99, served, attempts }: Seen): Cells => [
  ...[part(first.served), time(p99), time(served.half), time(served.most), time(served.all)],
  attempts.toFixed(1),
];
