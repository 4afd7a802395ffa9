import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';

interface Props extends ActionIconProps {
  /** The text of the tooltip. */
  tip: string;
  /** The accessible name, if it says more than the tooltip. */
  label?: string;
  icon: LucideIcon;
  onClick: () => void;
}

/** A button with an icon and a tooltip. */
export function IconAction({ tip, label = tip, icon: Icon, ...rest }: Props) {
  return (
    <Tooltip label={tip}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
