import { Group, Stack, Text, Title } from '@mantine/core';
import { Lock } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';

/** Each page focuses its heading when it opens, except the first page, where the browser sets the focus. */
let isFirst = true;

interface Props {
  title: string;
  /** Whether the title is a key or another machine-readable text. */
  isCode?: boolean;
  /** The title of the browser tab, if it differs from the heading. */
  documentTitle?: string;
  description?: ReactNode;
  /** A note about actions on this page that the user's role does not allow. */
  roleNote?: string | false;
  /** A link back to the list. */
  before?: ReactNode;
  /** A StatusBadge beside the heading. */
  badge?: ReactNode;
  actions?: ReactNode;
}

/** The heading of a page: its only h1. It sets the tab title and takes the focus when the page opens. */
export function PageHeader({
  title,
  isCode = false,
  documentTitle,
  description,
  roleNote,
  before,
  badge,
  actions,
}: Props) {
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
        <Stack gap={4} maw="100%" style={{ overflowWrap: 'anywhere' }}>
          <Group gap="sm">
            <Title
              order={1}
              ref={heading}
              tabIndex={-1}
              ff={isCode ? 'monospace' : undefined}
              style={{ outline: 'none' }}
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
              <Lock size={14} style={{ flexShrink: 0, marginTop: 4 }} />
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
