import { formatNumber } from '../format.ts';

/** A number as the reader's language writes it; "10,000+" where there are more than were counted. */
export function NumberText({ value, isMore = false }: { value: number | null; isMore?: boolean }) {
  if (value === null) return <span>–</span>;
  return (
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>
      {formatNumber(value)}
      {isMore && '+'}
    </span>
  );
}
