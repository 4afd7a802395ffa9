import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './DataTable.module.css';

export interface Column<Row> {
  /** Stored with the column choice, so it must not change. The column `actions` always stays visible. */
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Hidden until the user chooses it. */
  isHidden?: boolean;
  /** Hidden, until the user chooses it, in windows below 1,440 px without cards. */
  isWide?: boolean;
  /** Hidden on the cards of a phone until the user chooses it. */
  isOffCard?: boolean;
  /** Aligns numbers at the end. */
  align?: 'end';
}

/** The visible columns of a list, stored in this browser by list name. The first is always visible. */
export function useColumns<Row>(name: string, columns: readonly Column<Row>[]) {
  const [chosen, setChosen] = useLocalStorage<Record<string, boolean>>({
    key: `latchkey-columns-${name}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const hasRoom = useMediaQuery('(min-width: 90em), (max-width: 37.5em)', false, {
    getInitialValueInEffect: false,
  });
  const isCard = useMediaQuery('(max-width: 37.5em)', false, { getInitialValueInEffect: false });
  const isShown = ({ id, isHidden, isWide, isOffCard }: Column<Row>): boolean =>
    chosen[id] ?? !(isHidden || (isWide && !hasRoom) || (isOffCard && isCard));
  const shown = columns.filter((column, i) => i === 0 || isShown(column));
  const toggle = (column: Column<Row>) =>
    setChosen((before) => ({ ...before, [column.id]: !isShown(column) }));
  const reset = () => setChosen({});
  return { shown, isShown, toggle, reset };
}

export const classOf = (i: number, id: string, align?: 'end'): string =>
  [i === 0 && styles.first, id === 'actions' && styles.actions, align === 'end' && styles.end]
    .filter(Boolean)
    .join(' ');
