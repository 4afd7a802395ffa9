import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  isBusy?: boolean;
  /** `Menu.Item` elements. */
  children: ReactNode;
}

/** The menu in the header of a page, for actions that need no button of their own. */
export function PageMenu({ label, isBusy = false, children }: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={label} loading={isBusy}>
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
