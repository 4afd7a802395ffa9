import { useCallback, useMemo, useState } from 'react';

/** The records of a list that are selected, on whichever page. */
export interface Selection {
  size: number;
  ids: readonly number[];
  has(id: number): boolean;
  set(ids: readonly number[], isSelected: boolean): void;
  clear(): void;
}

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const set = useCallback((ids: readonly number[], isSelected: boolean) => {
    setChosen((before) => (isSelected ? new Set([...before, ...ids]) : before.difference(new Set(ids))));
  }, []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return useMemo(
    () => ({ size: chosen.size, ids: [...chosen], has: (id) => chosen.has(id), set, clear }),
    [chosen, set, clear],
  );
}
