import { Paper, Table, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  facts: [name: string, value: ReactNode][];
  children?: ReactNode;
}

/** A list of labels and values under a heading. */
export function Facts({ title, facts, children }: Props) {
  const id = useId();
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-labelledby={id}
      bg="var(--latchkey-panel)"
      style={{ overflowWrap: 'anywhere' }}
    >
      <Title order={2} id={id} size="h3" mb="xs">
        {title}
      </Title>
      <Table withRowBorders={false} verticalSpacing={6} horizontalSpacing={0}>
        <Table.Tbody>
          {facts.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th
                scope="row"
                w="40%"
                fw={500}
                c="dimmed"
                style={{ verticalAlign: 'top', overflowWrap: 'anywhere' }}
              >
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {children}
    </Paper>
  );
}
