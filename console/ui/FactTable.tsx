import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export type Fact = [name: string, value: ReactNode];

/** Names and values, one below the other. */
export function FactTable({ facts }: { facts: Fact[] }) {
  return (
    <Table variant="vertical" layout="auto">
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th>{name}</Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
