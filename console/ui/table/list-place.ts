import { type AnyRouter, useRouter, useRouterState } from '@tanstack/react-router';
import type { MouseEvent } from 'react';

/** The list from which the user opened a record: the address of the list, and its position in the tab's history. */
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

/** Returns `listStateOf` of the current list, as the `state` property of a link. */
export function useListState(): () => { list: ListPlace } {
  const router = useRouter();
  return () => listStateOf(router);
}

/**
 * Returns the properties of a link back to a list. The link restores the filters and the page, and also the scroll position
 * if the user opened the record from the list.
 * @param path the path of the list: '/licenses'
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
