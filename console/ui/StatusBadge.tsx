import type { ReactNode } from 'react';
import styles from './StatusBadge.module.css';

/** A status with a color; the text alone carries the meaning. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral' | 'info';

/** A plain element, because lists have one or two in each row, and Mantine's badge is more expensive to render. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}
