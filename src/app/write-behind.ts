/** Values kept in memory and written from time to time, so that no request waits for the write. */
export interface WriteBehind<K, V> {
  note(key: K, value: V): void;
  /** Writes the noted values. Keeps them for the next time if the write fails. */
  flush(): Promise<void>;
}

/** @param merge combines two values of one key, the earlier one first */
export function createWriteBehind<K, V>(
  write: (noted: readonly (readonly [K, V])[]) => Promise<unknown>,
  merge: (earlier: V, later: V) => V,
): WriteBehind<K, V> {
  let noted = new Map<K, V>();
  const note = (key: K, value: V) => {
    const earlier = noted.get(key);
    noted.set(key, earlier === undefined ? value : merge(earlier, value));
  };
  return {
    note,
    async flush() {
      if (noted.size === 0) return;
      const writing = noted;
      noted = new Map();
      try {
        await write([...writing]);
      } catch (error) {
        const later = noted;
        noted = writing;
        for (const [key, value] of later) note(key, value);
        throw error;
      }
    },
  };
}
