import { Checkbox, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { announce } from '../feedback/announce.tsx';
import { ErrorState } from '../feedback/ErrorState.tsx';
import { NumberText } from '../forms/NumberText.tsx';
import { ColumnChooser } from './ColumnChooser.tsx';
import { type Column, classOf, useColumns } from './columns.ts';
import styles from './DataTable.module.css';
import { Pager } from './Pager.tsx';
import { SkeletonRows } from './SkeletonRows.tsx';
import type { Selection } from './selection.ts';

/** A page of a list, as the API answers it. */
interface Page<Row> {
  items: Row[];
  next: number | string | null;
  total: number | null;
  total_is_more: boolean;
}

interface Props<Row> {
  /** Under which the chosen columns are remembered: 'licenses'. */
  name: string;
  /** What it is a table of, for screen readers: "Licenses". */
  label: string;
  /** The first says which record it is, and stays while the others scroll. */
  columns: readonly Column<Row>[];
  /** With `placeholderData: keepPreviousData`, so that the rows stay until the next are there. */
  query: UseQueryResult<Page<Row>>;
  /** Address of a record below the console: `/licenses/1`. Clicking anywhere on its row goes there. */
  rowTo?: (row: Row) => string;
  /** Of `useSelection()`, with what can be done to the selected. */
  selection?: Selection;
  bulkActions?: ReactNode;
  /** Said of what is selected in place of how many that are. */
  selectedText?: string | undefined;
  /** How a row is named to a screen reader where it is selected. */
  rowName?: (row: Row) => string;
  /** An EmptyState. */
  empty: ReactNode;
}

/** A list of records: its columns to choose, its rows to select, its pages to go through. */
export function DataTable<Row extends { id: number }>({ name, label, columns, query, ...rest }: Props<Row>) {
  const { t } = useTranslation();
  const state = useColumns(name, columns);
  const { data, error, isPending, isPlaceholderData, refetch } = query;
  const { selection, empty } = rest;
  const items = data?.items ?? [];
  const count = data?.items.length;
  useEffect(() => {
    if (count !== undefined) announce(t('table.shown', { count }));
  }, [count, t]);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const ids = items.map(({ id }) => id);
  const isSelecting = selection !== undefined && selection.size > 0;
  const selected = ids.filter((id) => selection?.has(id));
  return (
    <div className={styles.frame}>
      <div className={styles.bar} data-selecting={isSelecting || undefined}>
        {selection && isSelecting ? (
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {rest.selectedText ?? t('table.selected', { count: selection.size })}
            </Text>
            {rest.bulkActions}
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            {data?.total != null && (
              <>
                <NumberText value={data.total} isMore={data.total_is_more} />{' '}
                {t('table.total', { count: data.total })}
              </>
            )}
          </Text>
        )}
        <ColumnChooser columns={columns} state={state} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={label}>
        <table {...ROLE.table} className={styles.table} aria-busy={isPending || isPlaceholderData}>
          <caption className="visually-hidden">{label}</caption>
          <thead {...ROLE.rowgroup}>
            <tr {...ROLE.row}>
              {selection && (
                <th {...ROLE.columnheader} className={styles.check}>
                  <Checkbox
                    aria-label={t('table.selectAll')}
                    checked={ids.length > 0 && selected.length === ids.length}
                    indeterminate={selected.length > 0 && selected.length < ids.length}
                    onChange={(event) => selection.set(ids, event.currentTarget.checked)}
                  />
                  <span className={styles.chooseAll} aria-hidden>
                    {t('table.selectAll')}
                  </span>
                </th>
              )}
              {state.shown.map(({ id, header, align }, i) => (
                <th key={id} {...ROLE.columnheader} scope="col" className={classOf(i, id, align)}>
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...ROLE.rowgroup} className={isPlaceholderData ? styles.refreshing : undefined}>
            {isPending && <SkeletonRows columns={state.shown} isSelectable={selection !== undefined} />}
            {items.map((row) => (
              <Row key={row.id} row={row} columns={state.shown} {...rest} />
            ))}
          </tbody>
        </table>
        {data && items.length === 0 && empty}
      </section>
      <div className={styles.foot}>{data && <Pager next={data.next} />}</div>
    </div>
  );
}

/** Said outright, because on a phone nothing of a table is laid out as one, and browsers go by that. */
const ROLE = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;

interface RowProps<Row> extends Pick<Props<Row>, 'rowTo' | 'selection' | 'rowName'> {
  row: Row;
  columns: readonly Column<Row>[];
}

function Row<Row extends { id: number }>({ row, columns, rowTo, selection, rowName }: RowProps<Row>) {
  const { t } = useTranslation();
  const router = useRouter();
  const to = rowTo?.(row);
  const isSelected = selection?.has(row.id);
  const open = (event: MouseEvent) => {
    if (!to || isOfItsOwn(event)) return;
    void router.navigate({ to });
  };
  return (
    // The link in the first cell is what the keyboard has.
    <tr {...ROLE.row} onClick={open} data-to={to} aria-selected={isSelected}>
      {selection && (
        <td {...ROLE.cell} className={styles.check}>
          <Checkbox
            aria-label={t('table.select', { name: rowName?.(row) ?? row.id })}
            checked={isSelected ?? false}
            onChange={(event) => selection.set([row.id], event.currentTarget.checked)}
          />
        </td>
      )}
      {columns.map(({ id, header, cell, align }, i) => (
        <td key={id} {...ROLE.cell} data-label={header} className={classOf(i, id, align)}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** A click on a button or a link, or the end of marking text, is none on the row. */
function isOfItsOwn({ target }: MouseEvent): boolean {
  const inside = target instanceof Element && target.closest('a, button, input, label, [role=menu]') !== null;
  return inside || window.getSelection()?.isCollapsed === false;
}
