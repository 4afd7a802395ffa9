import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './DataTable.module.css';

/** A column of a list. */
export interface Column<Row> {
  /** Remembered where the reader chooses columns: must not change. `actions` is what can be done to a record. */
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Not shown until it is chosen. */
  isHidden?: boolean;
  /** Not shown, until it is chosen, where the others leave no room beside them: in windows of less than 1,440 px that have no cards. */
  isWide?: boolean;
  /** Numbers stand at the end. */
  align?: 'end';
}

/** Which columns of a list are shown; the first always is. Remembered in this browser, by the name of the list. */
export function useColumns<Row>(name: string, columns: readonly Column<Row>[]) {
  const [chosen, setChosen] = useLocalStorage<Record<string, boolean>>({
    key: `latchkey-columns-${name}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const hasRoom = useMediaQuery('(min-width: 90em), (max-width: 37.5em)', false, {
    getInitialValueInEffect: false,
  });
  const isShown = ({ id, isHidden, isWide }: Column<Row>): boolean =>
    chosen[id] ?? !(isHidden || (isWide && !hasRoom));
  const shown = columns.filter((column, i) => i === 0 || isShown(column));
  const toggle = (column: Column<Row>) =>
    setChosen((before) => ({ ...before, [column.id]: !isShown(column) }));
  const reset = () => setChosen({});
  return { shown, isShown, toggle, reset };
}

/** How the cells of a column are laid out. */
export const classOf = (i: number, id: string, align?: 'end'): string =>
  [i === 0 && styles.first, id === 'actions' && styles.actions, align === 'end' && styles.end]
    .filter(Boolean)
    .join(' ');
