import type { ReactNode } from 'react';
import { readableColor } from './readable-color.ts';
import styles from './StatusBadge.module.css';

/** The color of a status. The text carries the meaning without it. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral' | 'info';
const COLORS: Record<Tone, string> = {
  good: 'teal',
  warning: 'orange',
  bad: 'red',
  neutral: 'gray',
  info: 'indigo',
};

/** A plain element, because lists have one or two in each row, and Mantine's badge is more expensive to render. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  const color = COLORS[tone];
  const style = { background: `var(--mantine-color-${color}-light)`, color: readableColor(color) };
  return (
    <span className={styles.badge} style={style}>
      {children}
    </span>
  );
}
