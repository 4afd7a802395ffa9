import { Center, Stack, Text } from '@mantine/core';
import { Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  icon?: LucideIcon;
}

/** Says that there is nothing to show, and what to do next. */
export function EmptyState({ title, children, action, icon: Icon = Inbox }: Props) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={440}>
        <Icon size={32} strokeWidth={1.5} color="var(--mantine-color-dimmed)" />
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
