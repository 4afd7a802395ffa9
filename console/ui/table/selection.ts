import { useCallback, useEffect, useMemo, useState } from 'react';

/** The selected records of a list, on all its pages. */
export interface Selection {
  size: number;
  ids: readonly number[];
  has(id: number): boolean;
  set(ids: readonly number[], isSelected: boolean): void;
  clear(): void;
}

interface Scoped {
  scope: string;
  chosen: ReadonlySet<number>;
}

/** The last selection in this tab. It outlives the page, so that the selection survives going back. */
let last: Scoped = { scope: '', chosen: new Set() };

/**
 * The selection of a list.
 * @param scope identifies the list and its filters. In another scope the selection starts empty, and `set` and `clear` of the
 *   earlier scope do nothing
 */
export function useSelection(scope: string): Selection {
  const [state, setState] = useState(last);
  if (state.scope !== scope) setState({ scope, chosen: new Set() });
  const { chosen } = state;
  useEffect(() => {
    last = state;
  }, [state]);
  const set = useCallback(
    (ids: readonly number[], isSelected: boolean) =>
      setState((now) => {
        if (now.scope !== scope) return now;
        const before = now.chosen;
        return { scope, chosen: isSelected ? new Set([...before, ...ids]) : before.difference(new Set(ids)) };
      }),
    [scope],
  );
  const clear = useCallback(
    () => setState((now) => (now.scope === scope ? { scope, chosen: new Set() } : now)),
    [scope],
  );
  return useMemo(
    () => ({ size: chosen.size, ids: [...chosen], has: (id) => chosen.has(id), set, clear }),
    [chosen, set, clear],
  );
}
