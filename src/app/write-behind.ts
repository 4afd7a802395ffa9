/** Values kept in memory and written periodically, so that no request waits for the write. */
export interface WriteBehind<K, V> {
  note(key: K, value: V): void;
  /** Writes the values. Keeps them for the next flush if the write fails. */
  flush(): Promise<void>;
}

/** @param merge combines two values of a key, the earlier one first */
export function createWriteBehind<K, V>(
  write: (pending: readonly (readonly [K, V])[]) => Promise<unknown>,
  merge: (earlier: V, later: V) => V,
): WriteBehind<K, V> {
  let pending = new Map<K, V>();
  const note = (key: K, value: V) => {
    const earlier = pending.get(key);
    pending.set(key, earlier === undefined ? value : merge(earlier, value));
  };
  return {
    note,
    async flush() {
      if (pending.size === 0) return;
      const writing = pending;
      pending = new Map();
      try {
        await write([...writing]);
      } catch (error) {
        const later = pending;
        pending = writing;
        for (const [key, value] of later) note(key, value);
        throw error;
      }
    },
  };
}
