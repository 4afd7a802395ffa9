import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './DataTable.module.css';

export interface Column<Row> {
  /** The key in the stored column choice, so it must not change. The column `actions` is always visible. */
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Whether the column is hidden until the user chooses it. */
  isHidden?: boolean;
  /** Whether the column is hidden in windows narrower than 1,440 px until the user chooses it. Cards are not affected. */
  isWide?: boolean;
  /** Whether the column is hidden on phone cards until the user chooses it. */
  isOffCard?: boolean;
  /** The name of the list order that sorts by this column. */
  sort?: string;
  /** Right-aligns numbers. */
  align?: 'end';
}

/**
 * Returns the columns of a list.
 * @param headerOf returns the header of a column by its ID
 * @param without the IDs of columns that the list does not have
 */
export const listColumns = <Row, Id extends string>(
  headerOf: (id: Id) => string,
  columns: Record<Id, Omit<Column<Row>, 'id' | 'header'>>,
  without: readonly NoInfer<Id>[] = [],
): Column<Row>[] =>
  (Object.keys(columns) as Id[])
    .filter((id) => !without.includes(id))
    .map((id) => ({ id, header: headerOf(id), ...columns[id] }));

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
