import { UnstyledButton } from '@mantine/core';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './DataTable.module.css';

/** How a list is sorted. */
export interface Sorting {
  /** The name of a column's order, with a leading minus for descending; undefined for the default order. */
  by: string | undefined;
  /** The column order that the default order equals, if any. */
  byDefault?: string | undefined;
  onSort: (by: string | undefined) => void;
}

/** `aria-sort` of the heading of a column. */
export const ariaSort = (name: string | undefined, by: string | undefined) =>
  name !== undefined && by === name
    ? ('ascending' as const)
    : name !== undefined && by === `-${name}`
      ? ('descending' as const)
      : undefined;

interface Props {
  /** The name of the column's order. */
  name: string;
  sorting: Sorting;
  children: ReactNode;
}

/** A column heading that sorts the list. Clicks cycle through ascending, descending and the default order. */
export function SortHeader({ name, sorting: { by, byDefault, onSort }, children }: Props) {
  const isDown = by === `-${name}`;
  const next = by === name ? `-${name}` : isDown && byDefault !== by ? undefined : name;
  const Icon = isDown ? ArrowDown : ArrowUp;
  return (
    <UnstyledButton className={styles.sort} onClick={() => onSort(next)}>
      {children}
      <Icon size={14} className={ariaSort(name, by) ? undefined : styles.unsorted} />
    </UnstyledButton>
  );
}
