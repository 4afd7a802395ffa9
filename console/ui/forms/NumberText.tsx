import { formatNumber } from '../format.ts';

/** Formats a number in the user's locale. With `isMore`, the server stopped counting there: "10,000+". */
export function NumberText({ value, isMore = false }: { value: number | null; isMore?: boolean }) {
  if (value === null) return <span>–</span>;
  return (
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>
      {formatNumber(value)}
      {isMore && '+'}
    </span>
  );
}
