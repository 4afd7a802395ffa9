/**
 * Keeps values in memory and writes them at each flush, so that no request waits for the write. A failed flush keeps its
 * values for the next flush.
 * @param merge combines two values of the same key; gets the earlier value first
 */
export function createWriteBehind<K, V>(
  write: (pending: readonly (readonly [K, V])[]) => Promise<unknown>,
  merge: (earlier: V, later: V) => V,
) {
  let pending = new Map<K, V>();
  const note = (key: K, value: V) => {
    const earlier = pending.get(key);
    pending.set(key, earlier === undefined ? value : merge(earlier, value));
  };
  return {
    note,
    async flush(): Promise<void> {
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
