import { Skeleton } from '@mantine/core';
import { type Column, classOf } from './columns.ts';
import styles from './DataTable.module.css';

const ROWS = Array.from({ length: 10 }, (_, i) => i);

interface Props {
  columns: readonly Pick<Column<never>, 'id' | 'header' | 'align'>[];
  isSelectable: boolean;
}

/** Placeholder rows of the final height, so that the layout does not shift. */
export function SkeletonRows({ columns, isSelectable }: Props) {
  return ROWS.map((row) => (
    <tr key={row} aria-hidden>
      {isSelectable && (
        <td className={styles.check}>
          <Skeleton height={20} width={20} radius="sm" />
        </td>
      )}
      {columns.map(({ id, header, align }, i) => (
        <td key={id} data-label={header} className={classOf(i, id, align)}>
          <Skeleton height={12} width={i === 0 ? '75%' : '55%'} miw={40} radius="sm" />
        </td>
      ))}
    </tr>
  ));
}
