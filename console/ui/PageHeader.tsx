import { Group, Stack, Text, Title } from '@mantine/core';
import { Lock } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';

/** The first page is where the browser puts the focus; every other begins at its heading. */
let isFirst = true;

interface Props {
  title: string;
  /** Of the tab, where it says more than the heading. */
  documentTitle?: string;
  /** A sentence below. */
  description?: ReactNode;
  /** What the reader's role leaves out on this page, and whom to ask; nothing where that is nothing. */
  roleNote?: string | false;
  /** Links back to the list, before the heading. */
  before?: ReactNode;
  /** Beside the heading: a StatusBadge. */
  badge?: ReactNode;
  /** Buttons, at the other end. */
  actions?: ReactNode;
}

/** The heading of a page: its only h1, the tab's title, and where the focus goes when the page comes up. */
export function PageHeader({ title, documentTitle, description, roleNote, before, badge, actions }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${documentTitle ?? title} · Latchkey`;
  }, [documentTitle, title]);
  return (
    <Stack gap={6} mb="lg">
      {before}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} maw="100%">
          <Group gap="sm">
            <Title
              order={1}
              ref={heading}
              tabIndex={-1}
              style={{ outline: 'none', overflowWrap: 'anywhere' }}
            >
              {title}
            </Title>
            {badge}
          </Group>
          {description && (
            <Text c="dimmed" size="sm" maw="70ch">
              {description}
            </Text>
          )}
          {roleNote && (
            <Group gap={6} wrap="nowrap" align="flex-start" maw="70ch">
              <Lock size={14} aria-hidden style={{ flexShrink: 0, marginTop: 4 }} />
              <Text c="dimmed" size="sm">
                {roleNote}
              </Text>
            </Group>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </Stack>
  );
}
