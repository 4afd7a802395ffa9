import { type AnyRouter, useRouter, useRouterState } from '@tanstack/react-router';
import type { MouseEvent } from 'react';

/** The list from which a record was opened: its address, and its place in the history of the tab. */
interface ListPlace {
  path: string;
  search: Record<string, string>;
  index: number;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    list?: ListPlace;
  }
}

const indexOf = (state: object): number => (state as { __TSR_index?: number }).__TSR_index ?? 0;

/** The history state for a link from the shown list to one of its records, for `useBackToList`. */
export function listStateOf(router: AnyRouter): { list: ListPlace } {
  const { pathname: path, search, state } = router.state.location;
  return { list: { path, search, index: indexOf(state) } };
}

/** The same as a property of a link. */
export function useListState(): () => { list: ListPlace } {
  const router = useRouter();
  return () => listStateOf(router);
}

/**
 * The properties of a link back to a list: to its filters and page, and to its scroll position, if the record was opened
 * from it.
 * @param path of the list: '/licenses'
 */
export function useBackToList(path: string) {
  const state = useRouterState({ select: ({ location }) => location.state });
  const list = state.list?.path === path ? state.list : undefined;
  const onClick = (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey;
    const back = (list?.index ?? 0) - indexOf(state);
    if (!list || back >= 0 || !isPlain) return;
    event.preventDefault();
    window.history.go(back);
  };
  return { search: list?.search ?? {}, onClick };
}
