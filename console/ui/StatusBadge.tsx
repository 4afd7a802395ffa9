import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** A status with a color; the text alone carries the meaning. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral' | 'info';
const COLORS: Record<Tone, string> = {
  good: 'teal',
  warning: 'orange',
  bad: 'red',
  neutral: 'gray',
  info: 'indigo',
};

export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge
      color={COLORS[tone]}
      variant="light"
      tt="none"
      fw={600}
      radius="sm"
      style={{ flexShrink: 0, minWidth: 'max-content' }}
    >
      {children}
    </Badge>
  );
}
