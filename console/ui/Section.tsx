import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  description?: ReactNode;
  badge?: ReactNode;
  children: ReactNode;
}

/** A section of a page with a heading. */
export function Section({ title, description, badge, children }: Props) {
  const id = useId();
  return (
    <Paper
      component="section"
      aria-labelledby={id}
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      radius="md"
      bg="var(--latchkey-panel)"
    >
      <Stack gap={4} mb="md">
        <Group gap="sm">
          <Title order={2} id={id}>
            {title}
          </Title>
          {badge}
        </Group>
        {description && (
          <Text size="sm" c="dimmed" maw="70ch">
            {description}
          </Text>
        )}
      </Stack>
      {children}
    </Paper>
  );
}
