import { Tooltip } from '@mantine/core';
import { useState } from 'react';
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
  // A tooltip is expensive to render, and lists have two per row, so create it when the user points at the time.
  const [isAsked, ask] = useState(false);
  if (value === null) return <span>–</span>;
  const exact = isRelative || isDay ? `${formatTime(value)} · ${value} UTC` : `${value} UTC`;
  const time = (
    <time
      dateTime={instantOf(value).toISOString()}
      title={isAsked ? undefined : exact}
      style={{ whiteSpace: 'var(--time-wrap, nowrap)' }}
      onPointerEnter={() => ask(true)}
    >
      {isRelative ? formatRelative(value) : isDay ? formatDate(value) : formatTime(value)}
    </time>
  );
  if (!isAsked) return time;
  return (
    <Tooltip label={exact} defaultOpened events={{ hover: true, focus: true, touch: true }}>
      {time}
    </Tooltip>
  );
}
