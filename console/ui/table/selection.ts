import { useCallback, useMemo, useState } from 'react';

/** The selected records of a list, on all its pages. */
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
