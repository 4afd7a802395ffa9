import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  isBusy?: boolean;
  /** Whether the menu is in a row of a list, rather than in the header of a page. */
  isInRow?: boolean;
  /** Pixels. */
  maxWidth?: number;
  /** `Menu.Item` elements. */
  children: ReactNode;
}

/** A menu of actions that need no button of their own. */
export function ActionsMenu({ label, isBusy = false, isInRow = false, maxWidth, children }: Props) {
  const look = isInRow ? { variant: 'subtle', color: 'gray' } : { variant: 'default', size: 36 };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon {...look} aria-label={label} loading={isBusy}>
          <Ellipsis size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown maw={maxWidth}>{children}</Menu.Dropdown>
    </Menu>
  );
}
