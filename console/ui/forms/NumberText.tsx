import { formatNumber } from '../format.ts';

/** A number in the user's locale; "10,000+" if counting stopped there. */
export function NumberText({ value, isMore = false }: { value: number | null; isMore?: boolean }) {
  if (value === null) return <span>–</span>;
  return (
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>
      {formatNumber(value)}
      {isMore && '+'}
    </span>
  );
}
