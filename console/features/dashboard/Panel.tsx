import { Group, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import styles from './Dashboard.module.css';

/** A section of the dashboard. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} id={id} size="h3">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </section>
  );
}
