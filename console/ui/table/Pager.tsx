import { Button, Group } from '@mantine/core';
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, ChevronsLeft } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** The cursor of a page: the ID or sort value of the record before it; null for the first page. */
type Place = number | string | null;

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of earlier pages, to go back to them. */
    trail?: Place[];
  }
}

interface Props {
  next: Place;
  /** Whether the rows of another page are still shown, so that `next` is theirs. */
  isLoading: boolean;
  /** Whether the list is sorted by something other than newest first. */
  isSorted?: boolean;
}

/** Pages through a list whose address has the cursor `before`. */
export function Pager({ next, isLoading, isSorted = false }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { before = null } = useSearch({ strict: false }) as { before?: number | string };
  const trail = useRouterState({ select: ({ location }) => location.state.trail }) ?? [];
  const go = (to: Place, trail: Place[]) =>
    navigate({
      to: '.',
      search: ((search: object) => ({ ...search, before: to ?? undefined })) as never,
      state: (state) => ({ ...state, trail }),
    });
  if (before === null && next === null) return null;
  return (
    <Group component="nav" data-repeats gap="xs" aria-label={t('table.pages')}>
      <Button
        size="xs"
        variant="default"
        disabled={before === null}
        leftSection={<ChevronsLeft size={16} />}
        onClick={() => go(null, [])}
      >
        {t(isSorted ? 'table.first' : 'table.newest')}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={trail.length === 0}
        leftSection={<ChevronLeft size={16} />}
        onClick={() => go(trail.at(-1) ?? null, trail.slice(0, -1))}
      >
        {t(isSorted ? 'table.previous' : 'table.newer')}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={next === null}
        rightSection={<ChevronRight size={16} />}
        onClick={() => isLoading || go(next, [...trail, before])}
      >
        {t(isSorted ? 'table.next' : 'table.older')}
      </Button>
    </Group>
  );
}
