import type { Figures } from './turns.ts';

const WIDTHS = [12, 4, 7, 8, 8, 8, 8, 6, 10, 10];
const row = (cells: readonly (string | number)[]): string =>
  cells
    .map((cell, i) => (i === 0 ? String(cell).padEnd(12) : String(cell).padStart(WIDTHS[i] ?? 0)))
    .join(' ');

export const HEADINGS = row([
  'scenario',
  'conn',
  'rps',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'bare µs',
  'ratio',
  'turns',
  'generator',
]);

/** Returns a line of the table that a run prints as it goes. */
export function lineOf(name: string, connections: number, figures: Figures): string {
  const { rps, p50_ms, p99_ms, cpu_us, bare_cpu_us, ratio, ratio_spread, generator_share } = figures;
  const share = generator_share.map((part) => `${Math.round(part * 100)}`).join('/');
  const cells = [
    name,
    connections,
    rps,
    p50_ms,
    p99_ms,
    cpu_us,
    bare_cpu_us,
    ratio,
    ratio_spread.join('-'),
    `${share} %`,
  ];
  const notes = [
    figures.generator_busy && 'generator-bound',
    figures.failed > 0 && `${figures.failed} FAILED`,
    figures.validate_p99_ratio && `p99 of validates ÷ bare ${figures.validate_p99_ratio}`,
    figures.database_cpu_us && `PostgreSQL ${figures.database_cpu_us} µs`,
  ];
  return [row(cells), ...notes.filter(Boolean)].join('  ');
}
