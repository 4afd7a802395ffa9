import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** The search and filters above a list, stacked on a phone. */
export function FilterBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group role="search" aria-label={label} gap="xs" mb="sm" align="flex-end">
      {children}
    </Group>
  );
}
