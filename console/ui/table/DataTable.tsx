import { Group, Text, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ChangeEvent, type MouseEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { announce } from '../feedback/announce.tsx';
import { ErrorState } from '../feedback/ErrorState.tsx';
import { NumberText } from '../forms/NumberText.tsx';
import { ColumnChooser } from './ColumnChooser.tsx';
import { type Column, classOf, useColumns } from './columns.ts';
import styles from './DataTable.module.css';
import { listStateOf } from './list-place.ts';
import { Pager } from './Pager.tsx';
import { SkeletonRows } from './SkeletonRows.tsx';
import { ariaSort, SortHeader, type Sorting } from './SortHeader.tsx';
import type { Selection } from './selection.ts';

/** A page of a list, as the API sends it. */
interface Page<Row> {
  items: Row[];
  next: number | string | null;
  total: number | null;
  total_is_more: boolean;
}

interface Props<Row> {
  /** The storage key of the column choice: 'licenses'. */
  name: string;
  /** The accessible name: "Licenses". */
  label: string;
  /** The first column identifies the record and stays in place during horizontal scrolling. */
  columns: readonly Column<Row>[];
  /** Use `placeholderData: keepPreviousData`, so that rows stay until the next page arrives. */
  query: UseQueryResult<Page<Row>>;
  /** The path of a record: `/licenses/1`. A click anywhere on the row opens it. */
  rowTo?: (row: Row) => string;
  /** From `useSelection()`. Shows checkboxes and the bulk actions. */
  selection?: Selection;
  bulkActions?: ReactNode;
  /** Whether the card of a row, on a phone, has its values in one line, without labels. */
  hasShortCards?: boolean;
  /** Sorts the columns that have `sort`. */
  sorting?: Sorting;
  /** Replaces the number of selected records. */
  selectedText?: string | undefined;
  /** The accessible name of a row's checkbox. */
  rowName?: (row: Row) => string;
  empty: ReactNode;
}

/** Sets `--table-top` of an element to its distance from the top of the page, in pixels. */
function useTop() {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const measure = () => {
      const { current } = ref;
      const top = (current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      current?.style.setProperty('--table-top', `${Math.round(top)}px`);
    };
    measure();
    const changes = new ResizeObserver(measure);
    changes.observe(document.body);
    return () => changes.disconnect();
  }, []);
  return ref;
}

/** A list of records with column choice, selection and paging. */
export function DataTable<Row extends { id: number }>({ name, label, columns, query, ...rest }: Props<Row>) {
  const { t } = useTranslation();
  const state = useColumns(name, columns);
  const { data, error, isPending, isPlaceholderData, refetch } = query;
  const { selection, sorting, empty } = rest;
  const lastClicked = useRef<number | null>(null);
  const top = useTop();
  const items = data?.items ?? [];
  const count = data?.items.length;
  // Pages of the same length differ in their first row.
  const first = items[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: announces each page
  useEffect(() => {
    if (count !== undefined && !isPlaceholderData) announce(t('table.shown', { count }));
  }, [first, count, isPlaceholderData, t]);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const ids = items.map(({ id }) => id);
  const select = (some: number[], isSelected: boolean) => {
    // The rows may be those of an earlier filter, until the next ones arrive.
    if (!isPlaceholderData) selection?.set(some, isSelected);
  };
  /** Shift-click selects all rows from the previously clicked row to this one. */
  const onSelect = (id: number, { currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const [from, to] = [ids.indexOf(lastClicked.current ?? id), ids.indexOf(id)];
    lastClicked.current = id;
    const isRange = (nativeEvent as unknown as PointerEvent).shiftKey && from >= 0;
    const range = isRange ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
    select(range, currentTarget.checked);
  };
  // "No licenses match" is true of the earlier filter, and says nothing about this one.
  const outdated = isPlaceholderData && items.length === 0 ? styles.outdated : undefined;
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
          <Text size="sm" c="dimmed" className={outdated}>
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll */}
      <section ref={top} className={styles.scroll} tabIndex={0} aria-label={label}>
        <table
          {...ROLE.table}
          className={styles.table}
          data-short-cards={rest.hasShortCards || undefined}
          aria-busy={isPending || isPlaceholderData}
        >
          <VisuallyHidden component="caption">{label}</VisuallyHidden>
          <thead {...ROLE.rowgroup}>
            <tr {...ROLE.row}>
              {selection && (
                <th {...ROLE.columnheader} className={styles.check}>
                  <Tick
                    label={t('table.selectAll')}
                    isChecked={ids.length > 0 && selected.length === ids.length}
                    isMixed={selected.length > 0 && selected.length < ids.length}
                    onChange={(event) => select(ids, event.currentTarget.checked)}
                  />
                  <span className={styles.chooseAll} aria-hidden>
                    {t('table.selectAll')}
                  </span>
                </th>
              )}
              {state.shown.map(({ id, header, align, sort }, i) => (
                <th
                  key={id}
                  {...ROLE.columnheader}
                  scope="col"
                  aria-sort={ariaSort(sort, sorting?.by)}
                  className={classOf(i, id, align)}
                >
                  {sorting && sort ? (
                    <SortHeader name={sort} sorting={sorting}>
                      {header}
                    </SortHeader>
                  ) : (
                    header
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...ROLE.rowgroup} className={isPlaceholderData ? styles.refreshing : undefined}>
            {isPending && <SkeletonRows columns={state.shown} isSelectable={selection !== undefined} />}
            {items.map((row) => (
              <Row key={row.id} row={row} columns={state.shown} onSelect={onSelect} {...rest} />
            ))}
          </tbody>
        </table>
        {data && items.length === 0 && <div className={outdated}>{empty}</div>}
      </section>
      <div className={styles.foot}>
        {data && (
          <Pager next={data.next} isLoading={isPlaceholderData} isSorted={sorting?.by !== undefined} />
        )}
      </div>
    </div>
  );
}

/** Explicit table roles: the card layout of phones would remove the implicit ones. */
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
  onSelect: (id: number, event: ChangeEvent<HTMLInputElement>) => void;
}

function Row<Row extends { id: number }>(props: RowProps<Row>) {
  const { row, columns, rowTo, selection, rowName, onSelect } = props;
  const { t } = useTranslation();
  const router = useRouter();
  const to = rowTo?.(row);
  const isSelected = selection?.has(row.id);
  const open = (event: MouseEvent) => {
    if (!to || isOfItsOwn(event)) return;
    void router.navigate({ to, state: listStateOf(router) });
  };
  return (
    // Keyboard users have the link in the first cell.
    <tr {...ROLE.row} onClick={open} data-to={to} aria-selected={isSelected}>
      {selection && (
        <td {...ROLE.cell} className={styles.check}>
          <Tick
            label={t('table.select', { name: rowName?.(row) ?? row.id })}
            isChecked={isSelected ?? false}
            onChange={(event) => onSelect(row.id, event)}
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

interface TickProps {
  /** The accessible name. */
  label: string;
  isChecked: boolean;
  /** Whether some, but not all rows are checked. */
  isMixed?: boolean;
  onChange: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** A native checkbox: every row has one, and Mantine's checkbox is slower to render. */
function Tick({ label, isChecked, isMixed = false, onChange }: TickProps) {
  const mark = (box: HTMLInputElement | null) => {
    if (box) box.indeterminate = isMixed;
  };
  return (
    <input
      ref={mark}
      type="checkbox"
      className={styles.tick}
      aria-label={label}
      checked={isChecked}
      onChange={onChange}
    />
  );
}

/** Whether a click must not open the row: it hit a button or a link, or it ended a text selection. */
function isOfItsOwn({ target }: MouseEvent): boolean {
  const inside = target instanceof Element && target.closest('a, button, input, label, [role=menu]') !== null;
  return inside || window.getSelection()?.isCollapsed === false;
}
