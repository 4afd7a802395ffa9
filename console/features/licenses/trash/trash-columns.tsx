import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { actorText } from '../../../ui/actor-text.ts';
import { ProductNumber } from '../../../ui/products/ProductNumber.tsx';
import { Time } from '../../../ui/Time.tsx';
import { type Column, listColumns } from '../../../ui/table/columns.ts';
import { keyText } from '../license-words.ts';
import { TrashActions } from './TrashActions.tsx';
import type { Trashed } from './trash-queries.ts';

export const trashColumns = (t: TFunction<'trash'>, audit: TFunction<'audit'>): Column<Trashed>[] =>
  listColumns((id) => t(`column.${id}`), {
    key: {
      cell: (license) => (
        <Text ff="monospace" size="sm" fw={600} truncate maw="30ch" title={keyText(license)}>
          {keyText(license)}
        </Text>
      ),
    },
    deleted: { cell: ({ deleted_at }) => <Time value={deleted_at} isRelative /> },
    by: { cell: ({ deleted_by }) => (deleted_by ? actorText(audit, deleted_by) : '–') },
    removed: { cell: ({ removed_at }) => <Time value={removed_at} isDay /> },
    product: { isWide: true, cell: ({ product_id }) => <ProductNumber id={product_id} /> },
    order: { align: 'end', cell: ({ order_id }) => order_id ?? '–' },
    customer: { align: 'end', isWide: true, cell: ({ user_id }) => user_id ?? '–' },
    id: { align: 'end', isHidden: true, cell: ({ id }) => id },
    actions: { align: 'end', cell: (license) => <TrashActions license={license} /> },
  });
