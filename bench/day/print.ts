import type { Seen } from './storm.ts';

/** Rows as a table of Markdown. */
export function table(title: string, [head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [`${title}\n`, line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

export const part = (n: number): string => `${(n * 100).toFixed(n > 0 && n < 0.1 ? 1 : 0)} %`;
export const ms = (seconds: number): string => `${(seconds * 1_000).toFixed(seconds < 0.01 ? 2 : 0)} ms`;
export function time(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
/** Two significant digits. */
export function about(n: number): string {
  const digits = Math.max(0, Math.floor(Math.log10(n)) - 1);
  return (Math.round(n / 10 ** digits) * 10 ** digits).toLocaleString('en');
}

/** What clients saw, as cells, and their headings. */
export const SEEN = [
  ...['served at the first try', 'refused', 'late', 'p99 of answers'],
  ...['half served after', '99 %', 'all', 'never', 'attempts of each'],
];
export const seenAs = ({ first, p99, served, never, attempts }: Seen): string[] => [
  ...[part(first.served), part(first.refused), part(first.late), time(p99)],
  ...[time(served.half), time(served.most), time(served.all), part(never), attempts.toFixed(1)],
];
