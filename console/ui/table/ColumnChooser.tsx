import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { Columns3 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Column, useColumns } from './columns.ts';

interface Props<Row> {
  columns: readonly Column<Row>[];
  state: Pick<ReturnType<typeof useColumns<Row>>, 'isShown' | 'toggle' | 'reset'>;
}

/** A menu to show and hide columns. The first column always stays. */
export function ColumnChooser<Row>({ columns, state }: Props<Row>) {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-end" trapFocus shadow="md" withinPortal>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<Columns3 size={16} />}>
          {t('table.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('table.columns')}>
        <Stack gap="xs">
          {columns.slice(1).map((column) => (
            <Checkbox
              key={column.id}
              label={column.header}
              checked={state.isShown(column)}
              onChange={() => state.toggle(column)}
            />
          ))}
          <Button size="compact-sm" variant="subtle" onClick={state.reset}>
            {t('table.reset')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
