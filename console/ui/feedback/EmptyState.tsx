import { Center, Stack, Text } from '@mantine/core';
import { Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  /** What to do next. */
  children?: ReactNode;
  /** Buttons. */
  action?: ReactNode;
  icon?: LucideIcon;
}

/** In the place of what is not there: says so, and what to do about it. */
export function EmptyState({ title, children, action, icon: Icon = Inbox }: Props) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={440}>
        <Icon size={32} strokeWidth={1.5} aria-hidden color="var(--mantine-color-dimmed)" />
        <Text fw={600} ta="center">
          {title}
        </Text>
        {children && (
          <Text c="dimmed" size="sm" ta="center" component="div">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}
