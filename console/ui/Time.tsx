import { Tooltip } from '@mantine/core';
import { formatDate, formatRelative, formatTime, instantOf } from './format.ts';

interface Props {
  /** 'YYYY-MM-DD HH:MM:SS' in UTC; null shows a dash. */
  value: string | null;
  /** Shows 'in 3 days' instead of the date. */
  isRelative?: boolean;
  /** Shows only the day. */
  isDay?: boolean;
}

/** A time in the user's time zone, with UTC in a tooltip. */
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
