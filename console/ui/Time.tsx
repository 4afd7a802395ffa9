import { Tooltip } from '@mantine/core';
import { formatDate, formatRelative, formatTime, instantOf } from './format.ts';

interface Props {
  /** 'YYYY-MM-DD HH:MM:SS' in UTC, as the server sends it; null shows a dash. */
  value: string | null;
  /** 'in 3 days' in place of the date. */
  isRelative?: boolean;
  /** The day alone, where there is little room. */
  isDay?: boolean;
}

/** An instant in the reader's zone; UTC when it is pointed at or focused. */
export function Time({ value, isRelative = false, isDay = false }: Props) {
  if (value === null) return <span>–</span>;
  const exact = isRelative || isDay ? `${formatTime(value)} · ${value} UTC` : `${value} UTC`;
  return (
    <Tooltip label={exact} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={instantOf(value).toISOString()} title={exact} style={{ whiteSpace: 'nowrap' }}>
        {isRelative ? formatRelative(value) : isDay ? formatDate(value) : formatTime(value)}
      </time>
    </Tooltip>
  );
}
