/** What is gathered in memory and written now and then, so that no request waits for it. */
export interface Gathered<K, V> {
  note(key: K, value: V): void;
  /** Writes what was noted. What cannot be written is kept for the next time. */
  flush(): Promise<void>;
}

/** @param both what becomes of two values of one key, the earlier one first */
export function gather<K, V>(
  write: (noted: readonly (readonly [K, V])[]) => Promise<unknown>,
  both: (earlier: V, later: V) => V,
): Gathered<K, V> {
  let noted = new Map<K, V>();
  const add = (key: K, value: V) => {
    const earlier = noted.get(key);
    noted.set(key, earlier === undefined ? value : both(earlier, value));
  };
  return {
    note: add,
    async flush() {
      if (noted.size === 0) return;
      const writing = noted;
      noted = new Map();
      try {
        await write([...writing]);
      } catch (error) {
        const later = noted;
        noted = writing;
        for (const [key, value] of later) add(key, value);
        throw error;
      }
    },
  };
}
