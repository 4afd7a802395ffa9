import { Skeleton } from '@mantine/core';

const ROWS = Array.from({ length: 10 }, (_, i) => i);

/** As high as the rows that will come, so that nothing jumps. */
export function SkeletonRows({ columns }: { columns: number }) {
  const cells = Array.from({ length: columns }, (_, i) => i);
  return ROWS.map((row) => (
    <tr key={row} aria-hidden>
      {cells.map((cell) => (
        <td key={cell}>
          <Skeleton height={12} width={cell === 0 ? '75%' : '55%'} radius="sm" />
        </td>
      ))}
    </tr>
  ));
}
