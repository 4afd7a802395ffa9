import { useCallback, useEffect, useMemo, useState } from 'react';

/** The selected records of a list, on all its pages. */
export interface Selection {
  size: number;
  ids: readonly number[];
  has(id: number): boolean;
  set(ids: readonly number[], isSelected: boolean): void;
  clear(): void;
}

/** The last selection in this tab. It outlives the page, so that the selection survives going back. */
let last: { scope: string; chosen: ReadonlySet<number> } = { scope: '', chosen: new Set() };

/**
 * The selection of a list.
 * @param scope identifies the list and its filters. A selection made in another scope is ignored
 */
export function useSelection(scope: string): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(() =>
    last.scope === scope ? last.chosen : new Set(),
  );
  useEffect(() => {
    last = { scope, chosen };
  }, [scope, chosen]);
  const set = useCallback((ids: readonly number[], isSelected: boolean) => {
    setChosen((before) => (isSelected ? new Set([...before, ...ids]) : before.difference(new Set(ids))));
  }, []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return useMemo(
    () => ({ size: chosen.size, ids: [...chosen], has: (id) => chosen.has(id), set, clear }),
    [chosen, set, clear],
  );
}
